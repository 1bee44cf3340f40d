#!/usr/bin/env bash
# demo.sh: sets up, builds, loads a simulated quarter into a database of its own, and serves it until Ctrl-C. Then
# nothing of it is left. HTTP_HOST, HTTP_PORT, ADMIN_HOST and ADMIN_PORT say where; .env is not read.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly root=$PWD folder=$PWD/.local/demo
readonly public=http://${HTTP_HOST:-127.0.0.1}:${HTTP_PORT:-8080}
readonly admin=http://${ADMIN_HOST:-127.0.0.1}:${ADMIN_PORT:-8081}
announcer='' serving=''

remove() {
    "$root/scripts/postgres.sh" destroy "$folder/postgres"
    rm -rf "$folder"
}

# Nobody interrupts this.
finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    cd "$root"
    if [[ $announcer ]]; then kill "$announcer" 2>/dev/null; fi
    if [[ $serving && $child ]]; then
        stop_server
        code=$?
    fi
    end_child TERM 5
    remove || code=1
    exit "$code"
}

# What to look at.
announce() {
    local file reader=${DATABASE_URL/user=attribution_serve/user=attribution_read}
    say "" "Three questions:"
    for file in "$root"/examples/demo/[1-3]-*.sql; do
        say "" "psql '$reader' -f ${file#"$root/"}" ""
        sed 's/^/    /' "$file"
    done
    say "" "The page:   $admin/?environment=test" "Its token:  $ADMIN_TOKEN" "" \
        "All of this is simulated, and counts as the environment \`test\`. A postback arrives each second." \
        "Ctrl-C stops everything, and nothing stays."
}

# One postback of the next day each second, so that there is something live.
deliver() {
    local body
    while read -r body; do
        curl -s -o /dev/null --data-binary "$body" "$public/.well-known/skadnetwork/report-attribution/" || true
        sleep 1
    done <"$folder/coming.ndjson"
}

announce_and_deliver() {
    until curl -fs -o /dev/null "$admin/ready"; do sleep 0.2; done
    announce
    deliver
}

main() {
    local programs address superuser
    lock .local/demo.lock "another \`make demo\` is at work in this checkout; stop it first"
    for address in "$public" "$admin"; do
        if curl -s -o /dev/null "$address"; then
            die "a server is at $address already; choose other ports, such as make demo HTTP_PORT=9080 ADMIN_PORT=9081"
        fi
    done
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh 9>&-
    build_programs -c release
    # What a run left that was killed outright.
    remove
    mkdir -p "$folder"
    superuser=$(scripts/postgres.sh start "$folder/postgres" 9>&-)
    DATABASE_URL=$(role_url "$superuser" attribution_serve)
    ADMIN_TOKEN=$(openssl rand -hex 32)
    export DATABASE_URL ADMIN_TOKEN KEYRING_PATH=$folder/keys LOG_LEVEL=warning
    # There is no .env there.
    cd "$folder"
    supervised env "DATABASE_URL=$superuser" "$root/scripts/demo-load.sh" "$folder" "$programs"
    serving=yes
    announce_and_deliver </dev/null 9>&- &
    announcer=$!
    supervised "$programs/PostbackServer" serve
}

main
