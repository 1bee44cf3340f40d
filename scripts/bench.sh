#!/usr/bin/env bash
# Measures each figure of docs/performance.md beside its baseline, several times over, and prints one table. It is a
# measurement and no test: slow machines do not fail, and a figure that cannot be taken shows as "-".
#
#   ROUNDS=3          how often each figure is measured
#   BENCH_SECONDS=5   how long one sample takes, where it does not end by itself; HTTP takes twice as long
#   BENCH_ONLY=…      only these of the groups sign,verify,parse,store,cpu,http,import,impressions,lanes,growth,snapshot
#   GROWTH=1          growth too: fills the store with GROWTH_ROWS=10000000 postbacks, measures it again and its reports
#   SNAPSHOT=1        snapshot too: the store beside an open snapshot, for SNAPSHOT_SECONDS=600, and without one
#   BASELINE=06f5115  the commit that the store is measured against, built from the repository's history
#   BENCH_BIN=DIR     measures the programs in DIR instead of building them
#   BASELINE_BIN=DIR  the same for the programs of the baseline
#
# The samples stay in .local/bench.ndjson, the table in .local/bench.json, and the baseline in .local/baseline-COMMIT. All
# the rest, with a PostgreSQL cluster of its own, is gone afterwards. Settings of the server that are in the environment,
# such as VERIFIER, are passed on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly samples=$PWD/.local/bench.ndjson
readonly table=$PWD/.local/bench.json
readonly all_groups=sign,verify,parse,store,cpu,http,import,impressions
# These take long, so they are measured only if they are asked for.
readonly other_groups=lanes,growth,snapshot
readonly wrk_scripts=$PWD/Benchmarks/wrk
# What one sample works through, where it takes work and not time.
readonly impression_count=200000 store_count=100000 import_count=100000

state='' server=''
# The programs of the baseline; if there are none, the reason.
baseline='' no_baseline=''
# The sample that is being taken; its value, and if there is none, the reason.
figure='' kind='' value='' reason=''

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

needs_baseline() {
    local group
    for group in store cpu import lanes growth; do
        if is_selected "$group"; then return; fi
    done
    return 1
}

read_settings() {
    local name group
    ROUNDS=${ROUNDS:-3}
    BENCH_SECONDS=${BENCH_SECONDS:-5}
    GROWTH=${GROWTH:-}
    GROWTH_ROWS=${GROWTH_ROWS:-10000000}
    SNAPSHOT=${SNAPSHOT:-}
    SNAPSHOT_SECONDS=${SNAPSHOT_SECONDS:-600}
    BASELINE=${BASELINE:-06f5115}
    BENCH_ONLY=${BENCH_ONLY:-$all_groups${GROWTH:+,growth}${SNAPSHOT:+,snapshot}}
    for name in ROUNDS BENCH_SECONDS GROWTH_ROWS SNAPSHOT_SECONDS; do
        [[ ${!name} =~ ^[1-9][0-9]{0,7}$ ]] || die "$name must be a number from 1 on, not ${!name}"
    done
    for group in ${BENCH_ONLY//,/ }; do
        [[ ,$all_groups,$other_groups, == *,$group,* ]] ||
            die "BENCH_ONLY takes some of $all_groups,$other_groups, not $group"
    done
    [[ $BASELINE =~ ^[0-9a-f]{7,40}$ ]] || die "BASELINE must be a commit in hexadecimal digits, not $BASELINE"
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
    for product in PostbackServer adsign bench; do
        supervised swift build -c release --product "$product"
    done
    programs=$(swift build -c release --show-bin-path </dev/null)
}

# Without a baseline the other figures are taken all the same.
build_baseline() {
    local source=$PWD/.local/baseline-$BASELINE product
    if ! git cat-file -e "$BASELINE^{commit}" 2>/dev/null; then
        no_baseline="commit $BASELINE is not in this clone"
        if [[ $(git rev-parse --is-shallow-repository 2>/dev/null) == true ]]; then
            no_baseline+=", which is shallow: git fetch --unshallow"
        fi
        complain "no baseline: $no_baseline"
        return
    fi
    if [[ ! -d $source ]]; then
        rm -rf "$source.new"
        mkdir "$source.new"
        git archive "$BASELINE" | tar -x -C "$source.new"
        mv -T "$source.new" "$source"
    fi
    baseline_source=$source
    if [[ ${BASELINE_BIN:-} ]]; then
        baseline=$(realpath -- "$BASELINE_BIN")
        return
    fi
    for product in PostbackServer bench; do
        if ! supervised swift build -c release --package-path "$source" --product "$product"; then
            no_baseline="$product of commit $BASELINE does not build"
            return
        fi
    done
    baseline=$(swift build -c release --package-path "$source" --show-bin-path </dev/null)
}

# Each store is a database of its own in the one cluster.
start_cluster() {
    psql=$(postgres_bin '')/psql
    own_url=$(scripts/postgres.sh start "$state/postgres")
    postmaster=$(scripts/postgres.sh status "$state/postgres")
    postmaster=${postmaster#*process } postmaster=${postmaster%%,*}
    use_store own
    supervised "$bin/PostbackServer" migrate
    if [[ $baseline ]]; then
        sql -c 'CREATE DATABASE baseline'
        # Only the baseline asks for it.
        export MIGRATIONS_PATH=$baseline_source/migrations
        use_store baseline
        supervised "$bin/PostbackServer" migrate
        use_store own
    fi
}

# use_store own|baseline|lanes_N: what follows concerns this database, by the programs that belong to it.
use_store() {
    store=$1 bin=$programs
    if [[ $store == baseline ]]; then bin=$baseline; fi
    DATABASE_URL=$own_url
    if [[ $store != own ]]; then DATABASE_URL=${own_url/attribution/$store}; fi
    export DATABASE_URL
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
    local http_rate=20000 count
    count=$((http_rate * 2 * BENCH_SECONDS))
    if is_selected sign; then write_impressions; fi
    if is_selected http; then write_postbacks 2.0 load-test-p192 "$count"; fi
    if is_selected http || is_selected import || is_selected lanes; then
        write_postbacks 4.0 load-test-p256 $((count > import_count ? count : import_count))
        head -n "$import_count" "$state/postbacks-4.0.ndjson" >"$state/import.ndjson"
    fi
}

# ---- samples ---------------------------------------------------------------------------------------------------

complain() { say "${figure:+round $round, $figure, $kind: }$*" >&2; }

# take FIGURE value|baseline UNIT COMMAND…: one sample, which the command leaves in `value`.
take() {
    figure=$1 kind=$2 value='' reason=''
    "${@:4}" || value=''
    printf '{"figure":"%s","round":%d,"kind":"%s","value":%s,"unit":"%s"%s}\n' \
        "$figure" "$round" "$kind" "${value:-null}" "$3" "${reason:+,\"reason\":\"$reason\"}" >>"$samples"
    printf '%-40s %-8s %14s %s%s\n' "$figure" "$kind" "${value:--}" "$3" "${reason:+, $reason}"
}

# of_baseline COMMAND…: in the store of the baseline, if there is one.
of_baseline() {
    local code=0
    if [[ ! $baseline ]]; then
        reason=$no_baseline
        return 1
    fi
    use_store baseline
    "$@" || code=$?
    use_store own
    return "$code"
}

# use [NUMBER]: what was measured already, if it was.
use() { value=${1:-}; }

# attempt COMMAND…: its output goes to $state/out; says why and returns 1 if it fails.
attempt() {
    local code=0
    supervised "$@" >"$state/out" 2>"$state/err" || code=$?
    if ((code == 0)); then return; fi
    complain "exit code $code; $(grep -m 1 -F ERROR: "$state/err" || tail -n 1 "$state/err")"
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

# both FIGURE UNIT COMMAND…: a value and a baseline by the same command, each in its store. What comes second finds the
# machine in another state, so they take turns at being first.
both() {
    if ((round % 2 == 0)); then take "$1" baseline "$2" of_baseline "${@:3}"; fi
    take "$1" value "$2" "${@:3}"
    if ((round % 2 == 1)); then take "$1" baseline "$2" of_baseline "${@:3}"; fi
}

# Prints for how long the processes of the cluster worked since its start, in clock ticks. Those that have ended are
# counted by the first one.
cluster_ticks() {
    # A process may end while we read.
    { cat /proc/[0-9]*/stat || true; } 2>/dev/null | awk -v first="$postmaster" '
        { id = $1; sub(/^.*\) /, "") }
        id == first { sum += $12 + $13 + $14 + $15 }
        $2 == first { sum += $12 + $13 }
        END { printf "%d\n", sum }'
}

# cluster_micros COUNT TICKS: sets `micros` to the processor time since then for each of COUNT, in microseconds.
cluster_micros() {
    local ticks
    # Until connections that were closed have ended.
    sleep 0.3
    ticks=$(($(cluster_ticks) - $2))
    micros=''
    if (($1 > 0)); then micros=$(awk -v ticks="$ticks" -v hz="$(getconf CLK_TCK)" -v count="$1" \
        'BEGIN { printf "%.2f", ticks * 1e6 / hz / count }'); fi
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

# All but the quarantine with its count, the lanes, and what says which migrations were applied.
empty_store() {
    sql <<'SQL'
SELECT 'TRUNCATE ' || string_agg(oid::regclass::text, ', ') FROM pg_class
 WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'r'
   AND relname NOT IN ('schema_migration', 'lane', 'log_reader') AND relname NOT LIKE 'rejected_postback%' \gexec
SQL
    if [[ $store != baseline ]]; then
        sql -c 'INSERT INTO attribution.source (source) VALUES (0)' \
            -c 'UPDATE attribution.log_reader SET position = 0, ordinal = 0'
    fi
    settle
}

# Prints how many postbacks there are.
stored_postbacks() {
    if [[ $store == baseline ]]; then
        sql -c 'SELECT count(*) FROM attribution.postback'
    else
        sql -c 'SELECT count(*) FROM attribution.postback_state'
    fi
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

# store_rows SEED [BATCH [COUNT [CONNECTIONS]]]
store_rows() {
    attempt_number "$bin/bench" store --url "$DATABASE_URL" --count "${3:-$store_count}" --seed "$1" \
        --connections "${4:-2}" --batch "${2:-500}"
}

# store_in_empty [ARGUMENT]…: as store_rows.
store_in_empty() {
    empty_store
    store_rows "$@"
}

measure_store() { both store_empty 1/s store_in_empty "$round"; }

# In a new cluster the first writes make the files of the write-ahead log, which later ones use again.
warm_up() {
    store_in_empty 1 || return 0
    of_baseline store_in_empty 1 || true
}

# store_for_micros BATCH COUNT [CONNECTIONS]: sets `value` to the rate and `micros` to the cluster's processor time a row.
store_for_micros() {
    local ticks
    micros=''
    empty_store
    ticks=$(cluster_ticks)
    store_rows "$round" "$@" || return 1
    cluster_micros "$2" "$ticks"
    micros_of[$store]=$micros
}

# use_micros: what the last `store_for_micros` of this store measured.
use_micros() { value=${micros_of[$store]:-}; }

# Long enough that the clock's ticks, a hundredth of a second, don't matter.
measure_cpu() {
    local batch count
    local -A micros_of=()
    for batch in 30 500; do
        count=$((BENCH_SECONDS * (batch == 30 ? 60000 : 100000)))
        both "store_batch_$batch" 1/s store_for_micros "$batch" "$count"
        both "cpu_row_batch_$batch" us use_micros
        micros_of=()
    done
}

import_postbacks() {
    local count
    empty_store
    attempt_rate "$import_count" "$bin/PostbackServer" import "$state/import.ndjson" || return 1
    count=$(stored_postbacks)
    if ((count != import_count)); then
        complain "stored $count of $import_count postbacks"
        return 1
    fi
}

measure_import() { both import_4.0 1/s import_postbacks; }

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
    start_server env -C "$state" "$bin/PostbackServer" serve
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
# Sets `micros` to the cluster's processor time a postback.
post_postbacks() {
    local accepted stored ticks code=0
    requests=0 micros=''
    empty_store
    serve || return 1
    ticks=$(cluster_ticks)
    attempt_wrk "$HTTP_PORT" postbacks.lua "$state/postbacks-$1.ndjson" "${@:2}" || code=1
    cluster_micros "$requests" "$ticks"
    accepted=$(accepted_postbacks)
    note_memory
    stop_server
    ((code == 0)) || return 1
    stored=$(stored_postbacks)
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

# ---- lanes -----------------------------------------------------------------------------------------------------

readonly lane_counts=(1 2 4)

make_lane_stores() {
    local count
    for count in "${lane_counts[@]}"; do
        use_store own
        sql -c "CREATE DATABASE lanes_$count"
        use_store "lanes_$count"
        supervised "$bin/PostbackServer" migrate --lanes "$count"
    done
    use_store own
}

# How many lanes are best: batches of 500 with one writer a lane, and what 64 clients post. One baseline for all.
measure_lanes() {
    local -A micros_of=()
    local count rows=$((BENCH_SECONDS * 100000)) rate='' row='' posted='' request=''
    figure=lanes kind=baseline
    if of_baseline store_for_micros 500 "$rows"; then rate=$value row=$micros; fi
    if of_baseline post_postbacks 4.0; then posted=$value request=$micros; fi
    for count in "${lane_counts[@]}"; do
        use_store "lanes_$count"
        take "lanes_${count}_store" value 1/s store_for_micros 500 "$rows" 0
        take "lanes_${count}_store_cpu_row" value us use "$micros"
        take "lanes_${count}_http" value 1/s post_postbacks 4.0
        take "lanes_${count}_http_cpu_row" value us use "$micros"
        take "lanes_${count}_store" baseline 1/s of_baseline use "$rate"
        take "lanes_${count}_store_cpu_row" baseline us of_baseline use "$row"
        take "lanes_${count}_http" baseline 1/s of_baseline use "$posted"
        take "lanes_${count}_http_cpu_row" baseline us of_baseline use "$request"
    done
    use_store own
}

# ---- growth ----------------------------------------------------------------------------------------------------

# read_report SELECTION: sets `value` to the milliseconds that the server takes to plan and execute it, the second time.
read_report() {
    local query="EXPLAIN (ANALYZE, TIMING OFF) SELECT * FROM attribution.$1"
    attempt "$psql" -X -q -A -t -v ON_ERROR_STOP=1 "$DATABASE_URL" -c "$query" -c "$query" || return 1
    value=$(sed -n 's/^\(Planning\|Execution\) Time: \([0-9.]*\) ms.*/\2/p' "$state/out" | tail -n 2 |
        awk '{ sum += $1 } END { print sum }')
}

# Apps, days and networks are those of docs/generate-postbacks.sql.
measure_reports() {
    local month="WHERE day BETWEEN '2025-10-01' AND '2025-10-31'" app='AND advertised_app_id = 525463000'
    local days="('2025-10-01', '2025-10-31')"
    take report_campaign_daily_month_ms value ms read_report "report_campaign_daily $month"
    take report_conversion_value_daily_app_ms value ms read_report "report_conversion_value_daily $month $app"
    take report_conversion_value_all_ms value ms read_report "report_conversion_value$days"
    take report_source_identifier_daily_app_ms value ms read_report "report_source_identifier_daily $month $app"
    take report_source_identifier_all_ms value ms read_report "report_source_identifier$days"
    take report_source_app_daily_app_ms value ms read_report "report_source_app_daily $month $app"
}

# Nothing is emptied in between, so each round has other rows.
# Sets `wal_value` or `wal_baseline` to the bytes of write-ahead log for each row, too.
store_in_full() {
    local before after
    settle
    before=$(sql -c 'SELECT wal_bytes FROM pg_stat_wal')
    store_rows $((1000 + round)) || return 1
    after=$(sql -c 'SELECT wal_bytes FROM pg_stat_wal')
    printf -v "wal_$kind" %d $(((after - before) / store_count))
}

measure_full_store() {
    wal_value='' wal_baseline=''
    both store_10m 1/s store_in_full
    take store_10m_wal_row value B use "$wal_value"
    take store_10m_wal_row baseline B of_baseline use "$wal_baseline"
}

# size_of TABLE: sets `value` to the bytes that the table, its indexes and its partitions take for each postback.
size_of() {
    value=$(sql -v name="attribution.$1" -v count="$GROWTH_ROWS" <<'SQL'
SELECT round((pg_total_relation_size(:'name'::regclass)
              + coalesce((SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
                           WHERE inhparent = :'name'::regclass), 0)) / :count, 1)
SQL
    )
}

# The one table of the baseline holds what state, bodies and log hold here.
measure_sizes() {
    local name all
    if ! of_baseline size_of postback; then value=''; fi
    all=$value
    for name in state body log; do
        take "bytes_$name" value B size_of "postback_$name"
        take "bytes_$name" baseline B of_baseline use "$all"
    done
    for name in campaign source_app conversion_value window; do
        take "bytes_${name}_daily" value B size_of "${name}_daily"
    done
}

# fill_store SOURCE
fill_store() {
    empty_store
    attempt_rate "$GROWTH_ROWS" "$psql" -X -q -v ON_ERROR_STOP=1 -v count="$GROWTH_ROWS" "$DATABASE_URL" \
        -f "$1/docs/generate-postbacks.sql"
}

measure_growth() {
    figure=''
    step "Growth to $GROWTH_ROWS postbacks"
    round=1
    take generate_postbacks value 1/s fill_store "$PWD"
    if [[ ! $value ]]; then return; fi
    take generate_postbacks baseline 1/s of_baseline fill_store "${baseline_source:-}"
    settle
    measure_sizes
    for ((round = 1; round <= ROUNDS; round++)); do measure_reports; done
    for ((round = 1; round <= ROUNDS; round++)); do measure_full_store; done
    empty_store
    of_baseline empty_store || true
}

# ---- a snapshot held open --------------------------------------------------------------------------------------

# load_store: sets `value` to the rate, `last` to that of the last tenth of the time, `lag` to the seconds by which
# folding is behind at its end, `micros` to the cluster's processor time a row.
load_store() {
    local ticks rows
    last='' lag='' micros=''
    ticks=$(cluster_ticks)
    attempt "$bin/bench" load --url "$DATABASE_URL" --seconds "$SNAPSHOT_SECONDS" || return 1
    read -r value last lag rows < <(tail -n 1 "$state/out")
    cluster_micros "$rows" "$ticks"
}

has_snapshot() {
    [[ $(sql -c "SELECT count(*) FROM pg_stat_activity
                  WHERE application_name = 'bench_snapshot' AND backend_xmin IS NOT NULL") == 1 ]]
}

# The snapshot is older than all that is written beside it.
load_beside_snapshot() {
    local code=0
    empty_store
    start_server env PGAPPNAME=bench_snapshot "$psql" -X -q -A -t -v ON_ERROR_STOP=1 "$DATABASE_URL" \
        -c 'BEGIN ISOLATION LEVEL REPEATABLE READ' -c 'SELECT count(*) FROM attribution.postback_state' \
        -c "SELECT pg_sleep($((SNAPSHOT_SECONDS + 3600)))"
    wait_for_server has_snapshot || return 1
    load_store || code=1
    if ! has_snapshot; then
        complain "the snapshot was gone before the end"
        code=1
    fi
    sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bench_snapshot'" >/dev/null
    stop_server
    return "$code"
}

load_alone() {
    empty_store
    load_store
}

# The baseline is the same without a snapshot, each from an empty store on.
measure_snapshot() {
    step "A snapshot held open for $SNAPSHOT_SECONDS seconds"
    for ((round = 1; round <= (ROUNDS + 2) / 3; round++)); do
        take snapshot_store baseline 1/s load_alone
        take snapshot_store_last_tenth baseline 1/s use "$last"
        take snapshot_cpu_row baseline us use "$micros"
        take snapshot_reader_lag baseline s use "$lag"
        take snapshot_store value 1/s load_beside_snapshot
        take snapshot_store_last_tenth value 1/s use "$last"
        take snapshot_cpu_row value us use "$micros"
        take snapshot_reader_lag value s use "$lag"
    done
}

# ---- the table -------------------------------------------------------------------------------------------------

# Prints those that are not the built-in ones, as far as they matter to speed.
postgres_settings() {
    sql -c "SELECT string_agg(name || ' ' || current_setting(name), ', ' ORDER BY name) FROM pg_settings
             WHERE name IN ('shared_buffers', 'work_mem', 'max_wal_size', 'random_page_cost', 'jit', 'fsync',
                            'synchronous_commit', 'full_page_writes', 'wal_compression', 'autovacuum')"
}

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
        "postgresql settings=$(postgres_settings)"
        "libpq=$(pkg-config --modversion libpq)"
        "baseline=${no_baseline:-commit $BASELINE}"
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
    figure=''
    if needs_baseline; then build_baseline; else no_baseline="not asked for"; fi
    step "Prepare"
    choose_cores
    make_state bench
    start_cluster
    if is_selected lanes; then make_lane_stores; fi
    prepare_server
    prepare_inputs
    : >"$samples"
    if needs_baseline; then warm_up; fi
    for ((round = 1; round <= ROUNDS; round++)); do
        step "Round $round of $ROUNDS"
        warn_if_busy
        for group in ${all_groups//,/ } lanes; do
            if is_selected "$group"; then "measure_$group"; fi
        done
    done
    if is_selected growth; then measure_growth; fi
    if is_selected snapshot; then measure_snapshot; fi
    print_table
}

# Bash reads on behind `main`, and after a long run the file may be another one.
main
exit
