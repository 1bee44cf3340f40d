#!/usr/bin/env bash
# demo-keyring.sh DIR ADSIGN [app-store]: makes a throw-away key ring in DIR with the program ADSIGN, unless there is one. With
# app-store it also takes what `adsign simulate --app-store` signs with store-root.pem.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# key NAME CURVE: keygen refuses to overwrite a key, and one that an interrupted run left behind is as good as any.
# Its advice, to keep the key and to register it with Apple, is wrong for a demo: shown only if it fails.
key() {
    local output
    if [[ -e $folder/$1.pem ]]; then return; fi
    output=$("$adsign" keygen --out "$folder/$1.pem" --curve "$2" 2>&1) || die "$output"
}

# test_key NAME CURVE: a postback key, for what `adsign simulate` signs.
test_key() {
    key "$1" "$2"
    "$adsign" public-key --key "$folder/$1.pem" >"$folder/$1.pub.pem"
}

# The test root of the App Store, and the shared secret of its apps.
store() {
    key store-root p256
    "$adsign" simulate --app-store 1 --seed 1 --key "$folder/store-root.pem" --root "$folder/store-root.crt" >/dev/null
    openssl rand -hex 16 >"$folder/store.secret"
}

ring() {
    cat <<'JSON'
{
  "networks": [
    { "ad-network-id": "com.example" },
    { "ad-network-id": "example123.skadnetwork", "private-key": "example123.pem" },
    { "ad-network-id": "example456.skadnetwork" },
    { "ad-network-id": "example789.adattributionkit" }
  ],
  "developer-apps": [],
  "postback-keys": [
    { "name": "load-test-p192", "environment": "test", "public-key": "load-test-p192.pub.pem" },
    { "name": "load-test-p256", "environment": "test", "public-key": "load-test-p256.pub.pem" }
JSON
    if [[ $with_store ]]; then
        cat <<'JSON'
  ],
  "app-store": {
    "apps": [
      { "bundle-id": "com.example.game", "app-id": 525463029, "shared-secret-file": "store.secret" },
      { "bundle-id": "com.example.news", "app-id": 1234567891, "shared-secret-file": "store.secret" }
    ],
    "test-roots": ["store-root.crt"]
  }
}
JSON
    else
        say '  ]' '}'
    fi
}

main() {
    (($# == 2)) || [[ $# == 3 && $3 == app-store ]] || die "usage: demo-keyring.sh DIR ADSIGN [app-store]"
    folder=$1
    adsign=$2
    with_store=${3:-}
    if [[ -e $folder/keyring.json ]]; then return; fi
    umask 077
    mkdir -p -- "$folder"
    key example123 p256
    test_key load-test-p192 p192
    test_key load-test-p256 p256
    if [[ $with_store ]]; then store; fi
    # Last, and whole or not at all: without this file the rest is no key ring.
    ring >"$folder/keyring.json.new"
    mv -- "$folder/keyring.json.new" "$folder/keyring.json"
    say "Made a throw-away demo key ring in $folder: good for trying things, for nothing else."
}

main "$@" </dev/null
