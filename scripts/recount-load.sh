#!/usr/bin/env bash
# recount-load.sh DIR BIN INSTALLS_A_DAY: fills the empty database of DATABASE_URL, the URL of a superuser, with a simulated
# quarter of everything that a report can show: three networks, five apps, all versions and windows, three changes of scheme, unknown revenue and
# open ranges, three currencies, development, re-engagements, developers' copies, raises, names with countries and source
# apps, cost and rates. BIN has the built programs, DIR keeps the key ring and the files.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly fixtures=$(dirname "${BASH_SOURCE[0]}")/../Tests/PostbackServerTests/Fixtures/Quarter
readonly apps='525463029, 1234567891, 10738027756, 1588000001, 1588000002' steps=7

# step TEXT: shows how far the loading is.
step() { say "[$((++number))/$steps] $*  (${SECONDS} s)"; }

server() { DATABASE_URL=$(role_url "$DATABASE_URL" attribution_serve) "$bin/PostbackServer" "$@"; }

# quietly COMMAND…: its output is shown only if it fails.
quietly() {
    local output
    output=$("$@" 2>&1) || die "$output"
}

# key NAME CURVE: a postback key, for what `adsign simulate` signs.
key() {
    quietly "$bin/adsign" keygen --out "$folder/keys/$1.pem" --curve "$2"
    "$bin/adsign" public-key --key "$folder/keys/$1.pem" >"$folder/keys/$1.pub.pem"
}

# Postbacks of networks that are not in the ring are copies for the developer.
keyring() {
    local environment curve
    mkdir -p "$folder/keys"
    for environment in test development; do
        for curve in p192 p256; do key "$environment-$curve" "$curve"; done
    done
    cat >"$folder/keys/keyring.json" <<JSON
{
  "networks": [
    { "ad-network-id": "example123.skadnetwork" },
    { "ad-network-id": "example456.skadnetwork" },
    { "ad-network-id": "example789.adattributionkit" },
    { "ad-network-id": "development.skadnetwork" }
  ],
  "developer-apps": [$apps],
  "postback-keys": [
    { "name": "test-p192", "environment": "test", "public-key": "test-p192.pub.pem" },
    { "name": "test-p256", "environment": "test", "public-key": "test-p256.pub.pem" },
    { "name": "development-p192", "environment": "development", "public-key": "development-p192.pub.pem" },
    { "name": "development-p256", "environment": "development", "public-key": "development-p256.pub.pem" }
  ]
}
JSON
}

# simulate SEED ENVIRONMENT INSTALLS_A_DAY OPTION…: deliveries to the networks.
simulate() {
    local seed=$1 environment=$2 installs=$3
    shift 3
    "$bin/adsign" simulate --timeline --seed "$seed" --config "$fixtures/simulation.json" --installs-a-day "$installs" \
        --key "$folder/keys/$environment-p192.pem" --key "$folder/keys/$environment-p256.pem" "$@"
}

# Some deliveries once more, in October, with another value: raises, changes of kind, and conflicts.
changed() {
    awk '
        function again(line) { sub(/"received-at":[0-9]+}$/, "\"received-at\":17932" at "}", line); print line }
        NR % 3 { next }
        {
            at = sprintf("%08d", NR)
            if ($0 ~ /"conversion-value":[0-9]/) {
                line = $0
                if (NR % 9 == 0 && $0 !~ /coarse-conversion-value/) {
                    sub(/"conversion-value":[0-9]+/, "\"coarse-conversion-value\":\"high\"", line)
                    again(line)
                } else {
                    sub(/"conversion-value":[0-9]+/, "\"conversion-value\":" 2 + NR % 7, line)
                    again(line)
                    sub(/"conversion-value":[0-9]+/, "\"conversion-value\":" 10 + NR % 5, line)
                    again(line)
                }
            } else if (sub(/"coarse-conversion-value":"low"/, "\"coarse-conversion-value\":\"high\"")) {
                again($0)
            } else if (NR % 2 == 0 && $0 !~ /conversion-value/) {
                sub(/^{/, "{\"conversion-value\":" NR % 12 ",")
                again($0)
            }
        }' "$1"
}

# What developers got: some copies are missing, and some have a value that nobody sent.
copies() {
    awk 'NR % 11 == 0 { next }
         NR % 7 == 0 { sub(/"conversion-value":[0-9]+/, "\"conversion-value\":" NR % 13) }
         { print }' "$1"
}

# Cost by ad group and by country, in three currencies, and of a campaign that no name has.
spend() {
    say day,ad_network_id,advertised_app_id,campaign_id,ad_group_id,country,currency,spend,impressions,clicks,installs
    local day number cents
    for ((number = 0; number < 92; number++)); do
        day=$(date -u -d "2026-07-01 + $number days" +%F) cents=$((10 + number * 37 % 90))
        say "$day,example123.skadnetwork,525463029,1001,77,,USD,$((5 + number % 9)).$cents,$((900 + number)),20,$((number % 5))" \
            "$day,example123.skadnetwork,525463029,1001,,DE,USD,1.${cents}5,,," \
            "$day,example123.skadnetwork,525463029,1004,,US,EUR,3.333333,100,4,1" \
            "$day,example123.skadnetwork,1234567891,2003,,,EUR,2.$cents,,7,"
        if ((number % 2 == 0)); then say "$day,example123.skadnetwork,525463029,9999,,,USD,0.5,10,,"; fi
        if ((number % 3 == 0)); then say "$day,example789.adattributionkit,525463029,3001,,,JPY,$((300 + number)),,,2"; fi
    done
    say 2026-08-10,example456.skadnetwork,525463029,4001,,,USD,0,,,
}

# No key of Apple's signs what is simulated: two networks become production as if one did. And the service has signed
# impressions.
production_and_impressions() {
    psql "$DATABASE_URL" -XqAt -v ON_ERROR_STOP=1 <<'SQL'
UPDATE attribution.network SET environment = 'production'
 WHERE environment = 'test' AND ad_network_id IN ('example123.skadnetwork', 'example789.adattributionkit', 'com.apple.ads');
UPDATE attribution.line SET environment = network.environment
  FROM attribution.network WHERE network.network = line.network;
INSERT INTO attribution.campaign_daily AS stored (line, day, impressions)
SELECT line, date '2026-06-25' + number, 40 + line * number % 77
  FROM attribution.line, generate_series(0, 100, 3) AS number
 WHERE NOT developer_copy AND (line + number) % 4 = 0
    ON CONFLICT (line, day) DO UPDATE SET impressions = excluded.impressions;
SQL
}

# What there is to compare, so that nobody compares nothing with nothing.
contents() {
    psql "$DATABASE_URL" -X -P footer=off <<'SQL'
SELECT environment, developer_copy AS copies, count(*) AS postbacks, count(DISTINCT (protocol, version)) AS versions,
       count(*) FILTER (WHERE sequence_index > 0) AS later, count(*) FILTER (WHERE day_of = 'engagement') AS engagements,
       count(*) FILTER (WHERE decoding = 'mapped') AS mapped, count(*) FILTER (WHERE decoding = 'unmapped') AS unmapped,
       count(*) FILTER (WHERE decoding = 'ambiguous') AS ambiguous, count(*) FILTER (WHERE decoding = 'no_scheme') AS no_scheme,
       count(*) FILTER (WHERE no_value_kind = 'withheld') AS withheld, count(*) FILTER (WHERE no_value_kind = 'not_set') AS not_set,
       count(*) FILTER (WHERE may_have_locked) AS may_lock,
       count(*) FILTER (WHERE revenue_low IS NOT NULL AND revenue_high IS NULL) AS open,
       count(*) FILTER (WHERE revenue_low IS NOT NULL AND revenue_middle IS NULL) AS unknown,
       count(DISTINCT currency) AS currencies
  FROM attribution.postback_answer JOIN attribution.line USING (line) JOIN attribution.traits USING (traits)
 GROUP BY 1, 2 ORDER BY 1, 2;
SQL
}

main() {
    (($# == 3)) || die "usage: recount-load.sh DIR BIN INSTALLS_A_DAY"
    local number=0 scheme lines file
    folder=$1 bin=$2
    export KEYRING_PATH=$folder/keys LOG_LEVEL=warning
    keyring
    step "Simulate a quarter, copies of another network, and development"
    simulate 12 test "$3" --copies "$folder/copies.ndjson" >"$folder/quarter.ndjson"
    simulate 13 test "$(($3 / 8))" --ad-network-id com.apple.ads --copies "$folder/others.ndjson" >/dev/null
    simulate 14 development "$(($3 / 8))" --ad-network-id development.skadnetwork >"$folder/development.ndjson"
    lines=$(wc -l <"$folder/quarter.ndjson")
    head -n $((lines / 2)) "$folder/quarter.ndjson" >"$folder/first.ndjson"
    tail -n +$((lines / 2 + 1)) "$folder/quarter.ndjson" | head -n -1000 >"$folder/second.ndjson"
    tail -n 1000 "$folder/quarter.ndjson" >"$folder/last.ndjson"
    changed "$folder/quarter.ndjson" >"$folder/changed.ndjson"
    step "Count half of the quarter, the copies, and development"
    quietly migrate_as_owner "$DATABASE_URL" "$bin"
    for file in others development first; do quietly server import "$folder/$file.ndjson"; done
    step "Load schemes, names, cost and currency rates, and fold"
    for scheme in app1-first app1-second app1-third app2 app3 app4-first; do
        quietly server scheme load "$fixtures/scheme-$scheme.json"
    done
    quietly server mapping load "$fixtures/mapping.csv"
    quietly server spend rates "$fixtures/rates.csv"
    spend >"$folder/spend.csv"
    quietly server spend load "$folder/spend.csv"
    quietly server fold
    step "Count the other half, and deliveries with other values"
    for file in second changed; do quietly server import "$folder/$file.ndjson"; done
    step "Compare developers' copies"
    copies "$folder/copies.ndjson" >"$folder/tampered.ndjson"
    quietly server reconcile "$folder/tampered.ndjson" --side developer
    step "Load a scheme for days that are folded, and fold anew"
    production_and_impressions
    quietly server scheme load "$fixtures/scheme-app4-past.json"
    quietly server fold
    step "Count the last thousand deliveries, which are not folded"
    quietly server import "$folder/last.ndjson"
    contents
    say "Loaded in ${SECONDS} s."
}

main "$@" </dev/null
