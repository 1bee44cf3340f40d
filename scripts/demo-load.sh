#!/usr/bin/env bash
# demo-load.sh DIR BIN [INSTALLS_A_DAY]: fills the empty database of DATABASE_URL, the URL of a superuser, with a simulated
# quarter that ends now: three networks, four apps, forty campaigns, with schemes, names, cost, currency rates, developers'
# copies, refused bodies and notifications of the App Store. BIN has the built programs. DIR keeps the key ring, the files,
# and coming.ndjson: the bodies of the next day.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly examples=$(dirname "${BASH_SOURCE[0]}")/../examples/demo
readonly days=90 steps=6

# step TEXT: shows how far the loading is.
step() { say "[$((++number))/$steps] $*  (${SECONDS} s)"; }

# Moments are milliseconds since 1970, as in the lines of an archive.
simulate() {
    local now=$1 size=(${2:+--installs-a-day "$2"})
    mkdir -p "$folder/schemes"
    "$bin/adsign" simulate --timeline --seed 15 --config "$examples/simulation.json" ${size[@]+"${size[@]}"} \
        --begin "$begin" --days "$days" --until "$(date -u -d "@$((now / 1000 + 86400))" +%FT%TZ)" \
        --key "$folder/keys/load-test-p192.pem" --key "$folder/keys/load-test-p256.pem" \
        --copies "$folder/all-copies.ndjson" --schemes "$folder/schemes" |
        awk -v now="$now" -v past="$folder/quarter.ndjson" -v coming="$folder/coming.ndjson" '
            { at = $0; sub(/.*"received-at":/, "", at) }
            at + 0 < now { print > past; next }
            { sub(/,"received-at":[0-9]+}$/, "}"); print > coming }'
}

# What developers got: a relay of one network lost some copies, and raised values of others.
copies() {
    awk -v now="$1" '
        { at = $0; sub(/.*"received-at":/, "", at) }
        at + 0 >= now { exit }
        /"example456\.skadnetwork"/ {
            if (++copy % 40 == 0) next
            if (copy % 10 == 1) sub(/"conversion-value":[1-3],/, "\"conversion-value\":4,")
        }
        { print }' "$folder/all-copies.ndjson"
}

# Each campaign spends about its budget each day until yesterday, and the euro moves a little.
spend() {
    awk -F, -v begin="$(date -u -d "$begin" +%s)" -v days="$days" '
        NR == 1 { print "day," "ad_network_id,advertised_app_id,campaign_id,currency,spend,impressions,clicks"; next }
        {
            for (day = 0; day < days - 1; day++) {
                cents = int($5 * (85 + (day * 7 + NR * 13) % 31))
                date = strftime("%Y-%m-%d", begin + day * 86400, 1)
                printf "%s,%s,%s,%s,%s,", date, $1, $2, $3, $4
                printf "%d.%02d,%d,%d\n", cents / 100, cents % 100, cents * 3, cents / 12
            }
        }' "$examples/budgets.csv"
}

rates() {
    local day date
    say day,currency,units_per_usd
    for ((day = 0; day <= days; day += 7)); do
        date=$(date -u -d "$begin + $day days" +%F)
        say "$date,EUR,0.8$((60 + day * 11 % 13))000"
        # What customers of the App Store pay in.
        say "$date,GBP,0.79" "$date,JPY,150" "$date,BRL,5.02" "$date,KWD,0.307"
    done
}

server() { "$bin/PostbackServer" "$@"; }

# Notifications come over HTTP only, so a server takes them, on a port that is free.
notifications() {
    local log=$folder/notifications.log port=''
    HTTP_HOST=127.0.0.1 HTTP_PORT=0 ADMIN_HOST=127.0.0.1 ADMIN_PORT=0 ADMIN_TOKEN=$(openssl rand -hex 32) LOG_LEVEL=info \
        "$bin/PostbackServer" serve 2>"$log" &
    serving=$!
    trap 'kill "$serving" 2>/dev/null || true' EXIT
    until [[ $port ]]; do
        kill -0 "$serving" 2>/dev/null || die "$(<"$log")"
        sleep 0.1
        port=$(sed -n '/"listener":"postbacks"/{s/.*"port":"\([0-9]*\)".*/\1/p;q}' "$log")
    done
    quietly "$bin/adsign" simulate --app-store 150 --seed 15 --begin "$begin" --days "$((days - 1))" \
        --key "$folder/keys/store-root.pem" --rate 1000 --deliver "http://127.0.0.1:$port"
    trap - EXIT
    kill "$serving"
    wait "$serving"
}

# quietly COMMAND…: its output is shown only if it fails.
quietly() {
    local output
    output=$("$@" 2>&1) || die "$output"
}

main() {
    (($# == 2 || $# == 3)) || die "usage: demo-load.sh DIR BIN [INSTALLS_A_DAY]"
    local now number=0
    folder=$1 bin=$2 now=$(date +%s)000 begin=$(date -u -d "$((days - 1)) days ago" +%F)
    export KEYRING_PATH=$folder/keys LOG_LEVEL=warning
    quietly "${BASH_SOURCE[0]%/*}/demo-keyring.sh" "$folder/keys" "$bin/adsign" app-store
    step "Simulate a quarter from $begin until now"
    simulate "$now" "${3:-}"
    copies "$now" >"$folder/copies.ndjson"
    step "Load schemes, names, cost and currency rates"
    quietly migrate_as_owner "$DATABASE_URL" "$bin"
    DATABASE_URL=$(role_url "$DATABASE_URL" attribution_serve)
    quietly server scheme load "$folder"/schemes/*.json
    quietly server mapping load "$examples/mapping.csv"
    spend >"$folder/spend.csv"
    rates >"$folder/rates.csv"
    quietly server spend load "$folder/spend.csv"
    quietly server spend rates "$folder/rates.csv"
    step "Count the $(wc -l <"$folder/quarter.ndjson") deliveries of the quarter"
    server import "$folder/quarter.ndjson"
    # Nothing of it is a genuine postback, so it ends with 65 and is in the quarantine.
    server import "$examples/refused.ndjson" >/dev/null 2>&1 || (($? == 65))
    step "Compare developers' copies"
    quietly server reconcile "$folder/copies.ndjson" --side developer
    step "Deliver notifications of the App Store"
    notifications
    step "Fold what was counted into reports"
    server fold
    say "Loaded in ${SECONDS} s."
}

main "$@" </dev/null
