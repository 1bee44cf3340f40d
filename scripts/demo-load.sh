#!/usr/bin/env bash
# demo-load.sh DIR BIN [INSTALLS_A_DAY]: fills the empty database of DATABASE_URL, the URL of a superuser, with a simulated
# quarter that ends now: three networks, four apps, forty campaigns, with schemes, names, cost, currency rates, developers' copies and
# refused bodies. BIN has the built programs. DIR keeps the key ring, the files, and coming.ndjson: the bodies of the
# next day.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly examples=$(dirname "${BASH_SOURCE[0]}")/../examples/demo
readonly days=90 steps=5

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
    local day
    say day,currency,units_per_usd
    for ((day = 0; day <= days; day += 7)); do
        say "$(date -u -d "$begin + $day days" +%F),EUR,0.8$((60 + day * 11 % 13))000"
    done
}

server() { "$bin/PostbackServer" "$@"; }

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
    quietly "${BASH_SOURCE[0]%/*}/demo-keyring.sh" "$folder/keys" "$bin/adsign"
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
    step "Fold what was counted into reports"
    server fold
    say "Loaded in ${SECONDS} s."
}

main "$@" </dev/null
