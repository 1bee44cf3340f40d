#!/usr/bin/env bash
# Checks run.sh, test.sh, bench.sh and postgres.sh: that they stop in order, pass exit codes on, keep what was stored and
# leave nothing behind. PostgreSQL is real; the programs to run, build and measure are stand-ins, so this takes seconds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
# Each job below gets a process group of its own, and with it a Ctrl-C of its own.
set -m

place=$(mktemp -d "${TMPDIR:-/tmp}/adattribution-check-XXXXXX")
run=''
unset "${!HTTP_@}" "${!ADMIN_@}" "${!BENCH_@}" DATABASE_URL KEYRING_PATH FILTER ROUNDS GROWTH

finish() {
    local code=$?
    trap '' INT TERM HUP
    set +e
    if [[ $run ]]; then end_run; fi
    scripts/postgres.sh destroy "$place/.local/postgres"
    scripts/postgres.sh destroy "$place/other"
    rm -rf "$place"
    exit "$code"
}

# In order if possible, so that what the script started goes with it.
end_run() {
    local deadline=$((SECONDS + 20))
    kill -s TERM "$run"
    while kill -0 "$run" && ((SECONDS < deadline)); do sleep 0.1; done
    kill -s KILL -- "-$run"
} 2>/dev/null

fail() {
    say "FAILED: $*"
    if [[ -e $place/out ]]; then sed 's/^/    | /' "$place/out"; fi
    exit 1
} >&2

# ---- stand-ins -------------------------------------------------------------------------------------------------

write_program() {
    cat >"$1"
    chmod +x "$1"
}

make_place() {
    cp -r scripts Makefile "$place/"
    if ((EUID == 0)); then chmod a+x "$place"; fi
    mkdir -p "$place/tools" "$place/.build/stand-in"
    write_program "$place/tools/swift" <<'SWIFT'
#!/usr/bin/env bash
case "$*" in
    *--show-bin-path*) echo "$PWD/.build/stand-in" ;;
    build*)
        [[ ! -e build-fails ]] || exit 3
        if [[ -e build-hangs ]]; then echo $$ >build.pid; sleep 1000; fi
        ;;
    test*)
        [[ $("$PSQL" -X -A -t "$TEST_DATABASE_URL" -c 'SHOW is_superuser') == on ]] || exit 20
        "$PSQL" -X -A -t "$TEST_DATABASE_URL" -c 'SHOW unix_socket_directories' >tested
        [[ -r $TEST_DATABASE_LOG && -d $TEST_BIN_DIR && -x $TEST_POSTGRES_SCRIPT ]] || exit 21
        exit 5
        ;;
esac
SWIFT
    write_program "$place/.build/stand-in/PostbackServer" <<'SERVER'
#!/usr/bin/env bash
if [[ $1 == migrate ]]; then exec "$PSQL" -X -q "$DATABASE_URL" -c 'CREATE TABLE IF NOT EXISTS kept (n int)'; fi
trap '"$PSQL" -X -q "$DATABASE_URL" -c "INSERT INTO kept VALUES (1)" && exit 0' TERM
echo $$ >server.pid
while [[ ! -e server-dies ]]; do sleep 0.1; done
exit 7
SERVER
    write_program "$place/.build/stand-in/adsign" <<'ADSIGN'
#!/usr/bin/env bash
case "$1 $2" in
    "keygen --out") [[ ! -e $3 ]] && (umask 077 && echo "private $5" >"$3") ;;
    "public-key --key") echo "public of $3" ;;
    *) exit 64 ;;
esac
ADSIGN
    write_program "$place/.build/stand-in/bench" <<'BENCH'
#!/usr/bin/env bash
[[ $1 != table ]] || exit 0
if [[ -e bench-hangs ]]; then echo $$ >bench.pid; sleep 1000; fi
echo 100
BENCH
    write_program "$place/tools/openssl" <<'OPENSSL'
#!/usr/bin/env bash
echo +F4:0:256:50.000000:25.000000
OPENSSL
    write_program "$place/tools/wrk" <<<'#!/usr/bin/env bash'
    PATH=$place/tools:$PATH
    PSQL=$(postgres_bin '')/psql
    export PATH PSQL
}

# ---- looking ---------------------------------------------------------------------------------------------------

wait_until() {
    local deadline=$((SECONDS + 60))
    until "$@"; do
        ((SECONDS < deadline)) || fail "waited in vain for: $*"
        sleep 0.05
    done
}

start_run() {
    rm -f "$place/server.pid"
    (cd "$place" && exec scripts/run.sh) >"$place/out" 2>&1 </dev/null &
    run=$!
}

serve() {
    start_run
    wait_until test -s "$place/server.pid"
}

ended() { ! kill -0 "$run" 2>/dev/null; }

# expect_exit CODE RULE
expect_exit() {
    local code=0
    wait_until ended
    wait "$run" || code=$?
    run=''
    ((code == $1)) || fail "$2: exit code $code, not $1"
}

expect_nothing_left() {
    local file
    for file in server.pid build.pid bench.pid; do
        if [[ -s $place/$file && -d /proc/$(<"$place/$file") ]]; then fail "$1: the program of $file lives on"; fi
    done
    if "$place/scripts/postgres.sh" status "$place/.local/postgres" >/dev/null; then fail "$1: PostgreSQL runs on"; fi
    [[ ! -e $place/.local/database-url ]] || fail "$1: the database's URL is still there"
    [[ -z $(find "$place/.local" -maxdepth 1 -name 'test-*') ]] || fail "$1: a test's cluster is still there"
    [[ -z $(find "$place/.local" -maxdepth 1 -name 'bench-*') ]] || fail "$1: a measurement's cluster is still there"
}

count_kept() { "$PSQL" -X -A -t "$(<"$place/.local/database-url")" -c 'SELECT count(*) FROM kept'; }

# ---- rules -----------------------------------------------------------------------------------------------------

run_stops_in_order_on() {
    local before
    serve
    before=$(count_kept)
    kill -s "$1" -- "-$run"
    expect_exit 0 "run.sh on $1"
    expect_nothing_left "run.sh on $1"
    # What the server stores while it drains is stored, and found again at the next start.
    serve
    (($(count_kept) == before + 1)) || fail "run.sh on $1: the database stopped before the server, or lost a row"
    kill -s INT -- "-$run"
    expect_exit 0 "run.sh on INT"
}

run_refuses_a_second_run() {
    local code=0
    serve
    (cd "$place" && timeout 60 scripts/run.sh) >"$place/second" 2>&1 </dev/null || code=$?
    ((code == 1 && $(wc -l <"$place/second") == 1)) || fail "a second run: exit code $code, $(<"$place/second")"
    kill -0 "$(<"$place/server.pid")" || fail "a second run broke the first"
    kill -s INT -- "-$run"
    expect_exit 0 "run.sh after a second run"
}

run_passes_on_the_code_of_a_server_that_ends() {
    serve
    touch "$place/server-dies"
    expect_exit 7 "run.sh when the server ends by itself"
    rm "$place/server-dies"
    expect_nothing_left "run.sh when the server ends by itself"
}

run_leaves_nothing_when_the_build_fails_or_is_interrupted() {
    touch "$place/build-fails"
    start_run
    expect_exit 3 "run.sh when the build fails"
    expect_nothing_left "run.sh when the build fails"
    rm "$place/build-fails"
    touch "$place/build-hangs"
    start_run
    wait_until test -s "$place/build.pid"
    kill -s INT -- "-$run"
    expect_exit 130 "run.sh when the build is interrupted"
    expect_nothing_left "run.sh when the build is interrupted"
    rm "$place/build-hangs"
}

run_keeps_secrets_from_others() {
    local file
    serve
    for file in .local/database-url .local/admin-token keys/example123.pem keys/load-test-p192.pem keys/load-test-p256.pem; do
        [[ $(stat -c %a "$place/$file") == 600 ]] || fail "$file has the mode $(stat -c %a "$place/$file")"
    done
    [[ $(stat -c %a "$place/keys") == 700 ]] || fail "keys has the mode $(stat -c %a "$place/keys")"
    [[ $(<"$place/.local/admin-token") =~ ^[0-9a-f]{64}$ ]] || fail "the admin token is not 64 hexadecimal digits"
    kill -s INT -- "-$run"
    expect_exit 0 "run.sh on INT"
}

run_uses_the_database_that_is_given() {
    DATABASE_URL=$(scripts/postgres.sh start "$place/other")
    export DATABASE_URL
    serve
    [[ $(<"$place/.local/database-url") == "$DATABASE_URL" ]] || fail "run.sh does not use DATABASE_URL"
    if scripts/postgres.sh status "$place/.local/postgres" >/dev/null; then fail "run.sh started a cluster of its own"; fi
    kill -s INT -- "-$run"
    expect_exit 0 "run.sh with DATABASE_URL"
    scripts/postgres.sh status "$place/other" >/dev/null || fail "run.sh stopped a database that is not its own"
    unset DATABASE_URL
}

postgres_keeps_its_url_and_its_rows_when_killed() {
    local url
    url=$(scripts/postgres.sh start "$place/other")
    "$PSQL" -X -q "$url" -c 'CREATE TABLE survivor (n int)' -c 'INSERT INTO survivor VALUES (42)'
    scripts/postgres.sh kill "$place/other"
    if scripts/postgres.sh status "$place/other" >/dev/null; then fail "postgres.sh kill left the server running"; fi
    [[ $(scripts/postgres.sh start "$place/other") == "$url" ]] || fail "postgres.sh start after kill: another URL"
    [[ $("$PSQL" -X -A -t "$url" -c 'SELECT n FROM survivor') == 42 ]] || fail "postgres.sh kill: a row was lost"
}

postgres_leaves_nothing_when_destroyed() {
    local socket
    socket=$(<"$place/other/socket-path")
    scripts/postgres.sh destroy "$place/other"
    [[ ! -e $place/other && ! -e $socket ]] || fail "postgres.sh destroy left something behind"
}

test_passes_on_the_code_and_leaves_nothing() {
    (cd "$place" && exec scripts/test.sh --filter Some) >"$place/out" 2>&1 </dev/null &
    run=$!
    expect_exit 5 "test.sh when a test fails"
    [[ ! -e $(<"$place/tested") ]] || fail "test.sh left its cluster running"
    expect_nothing_left "test.sh"
}

start_bench() {
    (cd "$place" && ROUNDS=2 BENCH_ONLY=$1 exec scripts/bench.sh) >"$place/out" 2>&1 </dev/null &
    run=$!
}

bench_takes_samples_and_leaves_out_what_fails() {
    local figure
    start_bench sign,verify
    expect_exit 0 "bench.sh when a figure cannot be taken"
    expect_nothing_left "bench.sh"
    for figure in '"sign_batch_1core","round":1,"kind":"value","value":null' \
        '"sign_batch_2cores","round":2,"kind":"baseline","value":50.000000' \
        '"verify_4.0_single","round":2,"kind":"value","value":100' \
        '"verify_4.0_single","round":2,"kind":"baseline","value":25.000000'; do
        grep -q -F "{\"figure\":$figure,\"unit\":\"1/s\"}" "$place/.local/bench.ndjson" || fail "bench.sh: no $figure"
    done
}

bench_leaves_nothing_when_interrupted() {
    touch "$place/bench-hangs"
    start_bench verify
    wait_until test -s "$place/bench.pid"
    kill -s INT -- "-$run"
    expect_exit 130 "bench.sh when it is interrupted"
    expect_nothing_left "bench.sh when it is interrupted"
    rm "$place/bench-hangs"
}

main() {
    local signal
    trap finish EXIT
    for signal in INT TERM HUP; do
        # shellcheck disable=SC2064
        trap "exit $((128 + $(kill -l "$signal")))" "$signal"
    done
    make_place
    for signal in INT TERM HUP; do run_stops_in_order_on "$signal"; done
    run_keeps_secrets_from_others
    run_refuses_a_second_run
    run_passes_on_the_code_of_a_server_that_ends
    run_leaves_nothing_when_the_build_fails_or_is_interrupted
    run_uses_the_database_that_is_given
    postgres_keeps_its_url_and_its_rows_when_killed
    postgres_leaves_nothing_when_destroyed
    test_passes_on_the_code_and_leaves_nothing
    bench_takes_samples_and_leaves_out_what_fails
    bench_leaves_nothing_when_interrupted
    say "The scripts keep their rules."
}

main
