#!/usr/bin/env bash
# Measures each figure of docs/performance.md beside its baseline, several times over, and prints one table. It is a
# measurement and no test: slow machines do not fail, and a figure that cannot be taken shows as "-".
#
#   ROUNDS=3          how often each figure is measured
#   BENCH_SECONDS=5   how long one sample takes, where it does not end by itself; HTTP takes twice as long
#   BENCH_ONLY=…      only these of the groups sign,verify,parse,store,http,import,impressions,growth
#   GROWTH=1          growth too: fills the store with GROWTH_ROWS=10000000 postbacks, measures it again and its reports
#   BENCH_BIN=DIR     measures the programs in DIR instead of building them
#
# The samples stay in .local/bench.ndjson, the table in .local/bench.json. All the rest, with a PostgreSQL cluster of
# its own, is gone afterwards. Settings of the server that are in the environment, such as VERIFIER, are passed on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly samples=$PWD/.local/bench.ndjson
readonly table=$PWD/.local/bench.json
readonly all_groups=sign,verify,parse,store,http,import,impressions
readonly wrk_scripts=$PWD/Benchmarks/wrk
# What one sample works through, where it takes work and not time.
readonly impression_count=200000 store_count=100000 import_count=100000

state='' server=''
# The sample that is being taken, and its value: nothing where it could not be.
figure='' kind='' value=''

# ---- stopping --------------------------------------------------------------------------------------------------

on_signal() { exit $((128 + $(kill -l "$1"))); }

finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child INT 10
    stop_server
    remove_state
    exit "$code"
}

# start_server COMMAND…: a second program beside the child.
start_server() {
    start_child "$@" >>"$state/server.log" 2>&1
    server=$child
    child=''
}

stop_server() {
    local code=0
    [[ $server ]] || return 0
    child=$server
    server=''
    # As long as the server may take to answer what it has accepted.
    end_child TERM 35 || code=$?
    ((code == 0 || code == 143)) || complain "a server ended with exit code $code"
}

# ---- preparing -------------------------------------------------------------------------------------------------

step() { say "" "== $*"; }

# is_selected GROUP
is_selected() { [[ ,$BENCH_ONLY, == *,$1,* ]]; }

read_settings() {
    local name group
    ROUNDS=${ROUNDS:-3}
    BENCH_SECONDS=${BENCH_SECONDS:-5}
    GROWTH=${GROWTH:-}
    GROWTH_ROWS=${GROWTH_ROWS:-10000000}
    BENCH_ONLY=${BENCH_ONLY:-$all_groups}
    for name in ROUNDS BENCH_SECONDS GROWTH_ROWS; do
        [[ ${!name} =~ ^[1-9][0-9]{0,7}$ ]] || die "$name must be a number from 1 on, not ${!name}"
    done
    for group in ${BENCH_ONLY//,/ }; do
        [[ ,$all_groups,growth, == *,$group,* ]] || die "BENCH_ONLY takes some of $all_groups,growth, not $group"
    done
    # Numbers and dates in one form; and nothing of the caller's that means another database or server.
    export LC_ALL=C
    unset "${!PG@}" "${!HTTP_@}" "${!ADMIN_@}" CONFIG_FILE
}

one_at_a_time() {
    mkdir -p .local
    [[ -w .local ]] || die "$PWD/.local belongs to the user $(stat -c %U .local)"
    exec {only}>>.local/bench.lock
    flock -n "$only" || die "another \`make bench\` is at work in this checkout"
}

# The figures are meant for two cores: where there are more, we keep to two, with all that we start.
choose_cores() {
    local list part
    list=$(taskset -cp $$)
    cores=()
    for part in $(tr ',' ' ' <<<"${list##*: }"); do
        # A range, or a single one.
        mapfile -t -O "${#cores[@]}" cores < <(seq "${part%-*}" "${part#*-}")
    done
    cores=("${cores[@]:0:2}")
    taskset -cp "$(IFS=,; say "${cores[*]}")" $$ >/dev/null
    one_core=(taskset -c "${cores[0]}")
    if ((${#cores[@]} < 2)); then complain "there is one core only: figures for two cores are taken on it"; fi
}


build() {
    local product
    if [[ ${BENCH_BIN:-} ]]; then
        programs=$(realpath -- "$BENCH_BIN")
        return
    fi
    for product in PostbackServer adsign bench copy-baseline; do
        supervised swift build -c release --product "$product"
    done
    programs=$(swift build -c release --show-bin-path </dev/null)
}

start_cluster() {
    psql=$(postgres_bin '')/psql
    DATABASE_URL=$(scripts/postgres.sh start "$state/postgres")
    MIGRATIONS_PATH=$PWD/migrations
    export DATABASE_URL MIGRATIONS_PATH
    supervised "$programs/PostbackServer" migrate
}

prepare_server() {
    KEYRING_PATH=$state/keys
    HTTP_HOST=127.0.0.1
    ADMIN_HOST=127.0.0.1
    ADMIN_TOKEN=$(od -An -N32 -v -tx1 /dev/urandom | tr -d ' \n')
    export KEYRING_PATH HTTP_HOST ADMIN_HOST ADMIN_TOKEN
    supervised scripts/demo-keyring.sh "$KEYRING_PATH" "$programs/adsign"
}

# impressions: what `adsign sign --batch` reads, all different.
write_impressions() {
    awk -v count="$impression_count" 'BEGIN {
        for (i = 0; i < count; i++)
            printf "{\"version\":\"4.0\",\"ad-network-id\":\"example123.skadnetwork\",\"source-identifier\":%d," \
                "\"itunes-item-id\":525463029,\"nonce\":\"b91f3d67-89bf-4cad-85ba-%012x\"," \
                "\"source-app-id\":1234567891,\"fidelity-type\":1,\"timestamp\":%.0f}\n", \
                1000 + i % 9000, i, 1676057605705 + i
    }' >"$state/impressions.ndjson"
}

# write_postbacks VERSION KEY COUNT: in parts, one for each core, since the simulator uses one.
write_postbacks() {
    local file=$state/postbacks-$1.ndjson part=$((($3 + 1) / 2))
    say "$3 postbacks of version $1"
    # shellcheck disable=SC2016
    supervised "$BASH" -c '
        "$1" simulate --version "$2" --key "$3" --count "$4" --seed 1 >"$5" &
        "$1" simulate --version "$2" --key "$3" --count "$4" --seed 2 >"$5.rest" && wait $! && cat "$5.rest" >>"$5" &&
            rm "$5.rest"' \
        simulate "$programs/adsign" "$1" "$KEYRING_PATH/$2.pem" "$part" "$file"
}

# So many that a run at http_rate a second does not come to their end; where it does, it is shorter.
prepare_inputs() {
    local http_rate=15000 count
    count=$((http_rate * 2 * BENCH_SECONDS))
    if is_selected sign; then write_impressions; fi
    if is_selected http; then write_postbacks 2.0 load-test-p192 "$count"; fi
    if is_selected http || is_selected import; then
        write_postbacks 4.0 load-test-p256 $((count > import_count ? count : import_count))
        head -n "$import_count" "$state/postbacks-4.0.ndjson" >"$state/import.ndjson"
    fi
}

# ---- samples ---------------------------------------------------------------------------------------------------

complain() { say "${figure:+round $round, $figure, $kind: }$*" >&2; }

# take FIGURE value|baseline UNIT COMMAND…: one sample, which the command leaves in `value`.
take() {
    figure=$1 kind=$2 value=''
    "${@:4}" || value=''
    printf '{"figure":"%s","round":%d,"kind":"%s","value":%s,"unit":"%s"}\n' \
        "$figure" "$round" "$kind" "${value:-null}" "$3" >>"$samples"
    printf '%-40s %-8s %14s %s\n' "$figure" "$kind" "${value:--}" "$3"
}

# use [NUMBER]: what was measured already, if it was.
use() { value=${1:-}; }

# attempt COMMAND…: its output goes to $state/out; says why and returns 1 if it fails.
attempt() {
    local code=0
    supervised "$@" >"$state/out" 2>"$state/err" || code=$?
    if ((code == 0)); then return; fi
    complain "exit code $code; $(tail -n 1 "$state/err")"
    return 1
}

# attempt_number COMMAND…: sets `value` to the number that it prints last.
attempt_number() {
    local last
    attempt "$@" || return 1
    last=$(tail -n 1 "$state/out")
    if [[ ! $last =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
        complain "this is no number: $last"
        return 1
    fi
    value=$last
}

# attempt_rate COUNT COMMAND…: sets `value` to how many of COUNT it works through in a second. What the command prints
# goes to $state/printed. The clock stops within, since waiting for it here costs time of its own.
attempt_rate() {
    # shellcheck disable=SC2016
    attempt_number "$BASH" -c '
        start=${EPOCHREALTIME/./}
        "${@:2}" >"$1" || exit
        echo $((${EPOCHREALTIME/./} - start))' timed "$state/printed" "${@:2}" || return 1
    value=$(($1 * 1000000 / value))
}

# attempt_openssl sign|verify CURVE CORES: sets `value` to libcrypto's rate. It signs and verifies for two seconds each.
attempt_openssl() {
    local sign='' verify='' pattern='s/^+F4:[0-9]*:[0-9]*:\([0-9.]*\):\([0-9.]*\)$/\1 \2/p'
    if (($3 > 1)); then
        attempt openssl speed -mr -seconds 2 -multi "$3" "ecdsa$2" || return 1
    else
        attempt "${one_core[@]}" openssl speed -mr -seconds 2 "ecdsa$2" || return 1
    fi
    read -r sign verify < <(sed -n "$pattern" "$state/out" | tail -n 1) || true
    if [[ ! $sign || ! $verify ]]; then
        complain "openssl speed printed no rate"
        return 1
    fi
    if [[ $1 == sign ]]; then value=$sign; else value=$verify; fi
}

# Prints for how long the cores worked and were idle since the machine started, in hundredths of a second.
core_times() { awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 + $9, $5 + $6 }' /proc/stat; }

# Figures taken beside other work say little, least of all those for two cores.
warn_if_busy() {
    local worked idle worked_before idle_before percent
    read -r worked_before idle_before < <(core_times)
    sleep 2
    read -r worked idle < <(core_times)
    worked=$((worked - worked_before)) idle=$((idle - idle_before))
    percent=$((100 * worked / (worked + idle + 1)))
    figure=''
    if ((percent > 10)); then complain "the machine is $percent percent busy already: expect low and uneven figures"; fi
}

# ---- the database ----------------------------------------------------------------------------------------------

sql() { "$psql" -X -q -A -t -v ON_ERROR_STOP=1 "$DATABASE_URL" "$@"; }

# Every sample begins with nothing to write back.
settle() { sql -c CHECKPOINT; }

# All but what says which migrations were applied, and the quarantine with its count.
empty_store() {
    sql <<'SQL'
SELECT 'TRUNCATE ' || string_agg(oid::regclass::text, ', ') FROM pg_class
 WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'r'
   AND relname <> 'schema_migration' AND relname NOT LIKE 'rejected_postback%' \gexec
SQL
    settle
}

# ---- signing, verifying, parsing -------------------------------------------------------------------------------

sign_impressions() {
    attempt_rate "$impression_count" "${@:2}" "$programs/adsign" sign --batch --key "$KEYRING_PATH/example123.pem" \
        --input "$state/impressions.ndjson" --threads "$1"
}

measure_sign() {
    take sign_batch_1core value 1/s sign_impressions 1 "${one_core[@]}"
    take sign_batch_1core baseline 1/s attempt_openssl sign p256 1
    take sign_batch_2cores value 1/s sign_impressions 2
    take sign_batch_2cores baseline 1/s attempt_openssl sign p256 2
}

# bench_verify KIND MODE
bench_verify() { attempt_number "${one_core[@]}" "$programs/bench" verify "$1" "$2" --seconds "$BENCH_SECONDS"; }

# measure_verifying NAME KIND CURVE
measure_verifying() {
    local mode
    for mode in single batch; do
        take "verify_$1_$mode" value 1/s bench_verify "$2" "$mode"
        take "verify_$1_$mode" baseline 1/s attempt_openssl verify "$3" 1
    done
}

measure_verify() {
    measure_verifying 2.0 2.0 p192
    measure_verifying 4.0 4.0 p256
    measure_verifying aak adattributionkit p256
}

measure_parse() {
    local version
    for version in 2.0 4.0; do
        take "parse_$version" value 1/s bench_verify "$version" parse
        take "parse_$version" baseline 1/s bench_verify "$version" decoder
    done
}

# ---- storing ---------------------------------------------------------------------------------------------------

# store_rows SEED
store_rows() {
    attempt_number "$programs/bench" store --url "$DATABASE_URL" --count "$store_count" --seed "$1" --connections 2 \
        --batch 500
}

# copy_rows SEED: the same by hand. The rows are made before the clock runs.
copy_rows() {
    attempt "$programs/bench" rows --count "$store_count" --seed "$1" || return 1
    mv "$state/out" "$state/rows"
    attempt_number "$programs/copy-baseline" "$DATABASE_URL" "$state/rows" 2 500
}

measure_store() {
    empty_store
    take store_empty value 1/s store_rows "$round"
    stored_rate=$value
    empty_store
    take store_empty baseline 1/s copy_rows "$round"
}

import_postbacks() {
    local count
    attempt_rate "$import_count" "$programs/PostbackServer" import "$state/import.ndjson" || return 1
    count=$(sql -c 'SELECT count(*) FROM attribution.postback')
    if ((count != import_count)); then
        complain "stored $count of $import_count postbacks"
        return 1
    fi
}

# Beside the rate of the store alone in this round.
measure_import() {
    if ! is_selected store; then measure_store; fi
    empty_store
    take import_4.0 value 1/s import_postbacks
    take import_4.0 baseline 1/s use "$stored_rate"
}

# ---- HTTP ------------------------------------------------------------------------------------------------------

# Prints a port that nobody listens on. The kernel gives out others for outgoing connections.
free_port() {
    local port
    while true; do
        port=$((20000 + RANDOM % 10000))
        if ! is_open "$port"; then break; fi
    done
    say "$port"
}

is_open() { (: >"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# wait_for_server COMMAND…: until the command succeeds.
wait_for_server() {
    local deadline=$((SECONDS + 60))
    until "$@"; do
        if ! kill -0 "$server" 2>/dev/null || ((SECONDS > deadline)); then
            complain "a server did not start: $(tail -n 1 "$state/server.log")"
            stop_server
            return 1
        fi
        sleep 0.1
    done
}

is_ready() { curl -s -f -m 5 -o /dev/null "http://127.0.0.1:$ADMIN_PORT/ready"; }

# In a folder of its own, where no .env changes its settings.
serve() {
    HTTP_PORT=$(free_port)
    ADMIN_PORT=$(free_port)
    export HTTP_PORT ADMIN_PORT
    start_server env -C "$state" "$programs/PostbackServer" serve
    wait_for_server is_ready
}

serve_bare() {
    HTTP_PORT=$(free_port)
    start_server "$programs/bench" bare --port "$HTTP_PORT"
    wait_for_server is_open "$HTTP_PORT"
}

# attempt_wrk PORT SCRIPT [ARGUMENT]…: sets `value` to the requests a second, `requests`, and `p99` in milliseconds.
attempt_wrk() {
    local last errors micros
    attempt wrk -t1 -c64 -d "$((2 * BENCH_SECONDS))s" --timeout 30s -s "$wrk_scripts/$2" "http://127.0.0.1:$1" -- \
        "${@:3}" || return 1
    last=$(tail -n 1 "$state/out")
    if [[ ! $last =~ ^\{\"requests\":([0-9]+),\"errors\":([0-9]+),\"rate\":([0-9.]+),.*\"p99\":([0-9]+), ]]; then
        complain "wrk printed no result but $last"
        return 1
    fi
    requests=${BASH_REMATCH[1]} errors=${BASH_REMATCH[2]} value=${BASH_REMATCH[3]} micros=${BASH_REMATCH[4]}
    if ((errors > 0)); then
        complain "$errors of $requests requests failed"
        return 1
    fi
    p99=$((micros / 1000)).$(printf '%03d' $((micros % 1000)))
}

# Prints how many postbacks the server has accepted since its start.
accepted_postbacks() {
    curl -s -m 10 "http://127.0.0.1:$ADMIN_PORT/metrics" |
        awk '/^postbacks_total\{.*outcome="accepted"/ { sum += $NF } END { print sum + 0 }'
}

# Sets `memory` to the most that a server of this round has had resident, in MB.
note_memory() {
    local kilobytes
    kilobytes=$(awk '/^VmHWM:/ { print $2 }' "/proc/$server/status")
    if ((${kilobytes:-0} / 1024 > ${memory:-0})); then memory=$((kilobytes / 1024)); fi
}

# post_postbacks VERSION [RATE]: to a server on an empty store. Whatever was answered with 200 must be there afterwards.
post_postbacks() {
    local accepted stored code=0
    requests=0
    empty_store
    serve || return 1
    attempt_wrk "$HTTP_PORT" postbacks.lua "$state/postbacks-$1.ndjson" "${@:2}" || code=1
    accepted=$(accepted_postbacks)
    note_memory
    stop_server
    ((code == 0)) || return 1
    stored=$(sql -c 'SELECT count(*) FROM attribution.postback')
    if ((stored < requests || stored < accepted)); then
        complain "LOST POSTBACKS: $requests answered, $accepted accepted, $stored stored"
        return 1
    fi
}

# post_to_bare VERSION
post_to_bare() {
    local code=0
    serve_bare || return 1
    attempt_wrk "$HTTP_PORT" postbacks.lua "$state/postbacks-$1.ndjson" || code=1
    stop_server
    return "$code"
}

measure_http() {
    local version wanted
    memory=''
    for version in 2.0 4.0; do
        take "http_$version" value 1/s post_postbacks "$version"
        wanted=${value%.*}
        take "http_$version" baseline 1/s post_to_bare "$version"
    done
    # The rate reached is recorded beside the one wanted.
    wanted=$((wanted * 7 / 10)) p99=''
    take http_4.0_rate_at_70 value 1/s post_at "$wanted"
    take http_4.0_rate_at_70 baseline 1/s use "$wanted"
    take http_4.0_p99_at_70 value ms use "$p99"
    take http_peak_rss value MB use "$memory"
}

# post_at RATE
post_at() { (($1 > 0)) && post_postbacks 4.0 "$1"; }

# sign_over_http [RATE]
sign_over_http() {
    local code=0
    serve || return 1
    attempt_wrk "$ADMIN_PORT" impressions.lua "$@" || code=1
    stop_server
    return "$code"
}

measure_impressions() {
    take impressions_peak value 1/s sign_over_http
    p99=''
    take impressions_rate_at_5000 value 1/s sign_over_http 5000
    take impressions_rate_at_5000 baseline 1/s use 5000
    take impressions_p99_ms value ms use "$p99"
}

# ---- growth ----------------------------------------------------------------------------------------------------

# read_report CONDITION-AND-ALL: sets `value` to the milliseconds that the server takes to plan and execute it, the second
# time.
read_report() {
    local query="EXPLAIN (ANALYZE, TIMING OFF) SELECT * FROM attribution.$1"
    attempt "$psql" -X -q -A -t -v ON_ERROR_STOP=1 "$DATABASE_URL" -c "$query" -c "$query" || return 1
    value=$(sed -n 's/^\(Planning\|Execution\) Time: \([0-9.]*\) ms.*/\2/p' "$state/out" | tail -n 2 |
        awk '{ sum += $1 } END { print sum }')
}

measure_reports() {
    local month="WHERE ad_network_id = 'example123.skadnetwork' AND day BETWEEN '2025-10-01' AND '2025-10-31'" view
    take report_month_ms value ms read_report "report_campaign_daily $month"
    for view in source_app_daily conversion_value_daily source_identifier_daily; do
        take "report_${view}_ms" value ms read_report "report_$view $month"
    done
    for view in campaign source_identifier; do take "report_${view}_ms" value ms read_report "report_$view"; done
}

# Other rows for the baseline than for the store here, since nothing is emptied in between.
measure_full_store() {
    settle
    take store_10m value 1/s store_rows $((1000 + round))
    settle
    take store_10m baseline 1/s copy_rows $((2000 + round))
}

measure_sizes() {
    local name table_bytes index_bytes
    while IFS='|' read -r name table_bytes index_bytes; do
        take "size_$name" value MB use $((table_bytes / 1000000))
        take "size_${name}_indexes" value MB use $((index_bytes / 1000000))
    done < <(sql -c "
        SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
         WHERE relname IN ('postback', 'campaign_daily_base', 'source_app_daily_base', 'conversion_value_daily_base')
           AND relnamespace = 'attribution'::regnamespace ORDER BY relname")
}

fill_store() {
    attempt_rate "$GROWTH_ROWS" "$psql" -X -q -v ON_ERROR_STOP=1 -v count="$GROWTH_ROWS" "$DATABASE_URL" \
        -f docs/generate-postbacks.sql
}

measure_growth() {
    figure=''
    step "Growth to $GROWTH_ROWS postbacks"
    empty_store
    round=1
    take generate_postbacks value 1/s fill_store
    if [[ ! $value ]]; then return; fi
    measure_sizes
    for ((round = 1; round <= ROUNDS; round++)); do measure_reports; done
    for ((round = 1; round <= ROUNDS; round++)); do measure_full_store; done
}

# ---- the table -------------------------------------------------------------------------------------------------

print_table() {
    local about settings
    settings=$(env | grep -E '^(VERIFIER|CONVERSION_POLICY|INGEST_.*)=' | sort | tr '\n' ' ') || true
    about=(
        "date=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
        "commit=$(git describe --always --dirty 2>/dev/null || say unknown)"
        "processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
        "cores=${#cores[@]} used of $(nproc --all)"
        "memory=$(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
        "kernel=$(uname -srm)"
        "swift=$(swift --version 2>/dev/null </dev/null | head -n 1)"
        "postgresql=$("${psql%/psql}/postgres" --version)"
        "openssl=$(openssl version)"
        "libpq=$(pkg-config --modversion libpq)"
        "rounds=$ROUNDS of $BENCH_SECONDS s a sample, HTTP $((2 * BENCH_SECONDS)) s"
        "settings=${settings:-defaults}"
    )
    step "Table"
    supervised "$programs/bench" table --samples "$samples" --json "$table" "${about[@]/#/--about=}"
}

main() {
    local signal_name group
    for signal_name in INT TERM HUP PIPE; do
        # shellcheck disable=SC2064
        trap "on_signal $signal_name" "$signal_name"
    done
    trap finish EXIT
    read_settings
    one_at_a_time
    scripts/setup.sh wrk openssl {only}>&-
    step "Build"
    build
    step "Prepare"
    choose_cores
    make_state bench
    start_cluster
    prepare_server
    prepare_inputs
    : >"$samples"
    for ((round = 1; round <= ROUNDS; round++)); do
        step "Round $round of $ROUNDS"
        warn_if_busy
        for group in ${all_groups//,/ }; do
            if is_selected "$group"; then "measure_$group"; fi
        done
    done
    if [[ $GROWTH ]] || is_selected growth; then measure_growth; fi
    print_table
}

main
