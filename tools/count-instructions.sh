#!/usr/bin/env bash
# count-instructions.sh FOLDER…: counts the instructions of the processor that PostbackServer needs for one postback, for the
# programs of each folder, such as .build/release. PostgreSQL's own are not counted. Other programs on the machine do not
# change the numbers.
#
# Each program imports an archive of 400 postbacks and one of 2,400, and takes as many over HTTP, each time with a new
# database, under callgrind. The difference, divided by 2,000, has neither the start nor the end of the program in it.
# COUNTS="400 2400" has these numbers. How many postbacks meet in a batch depends on the time, over HTTP more than in an
# import.
#
# It needs valgrind and a C compiler. Nothing stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

read -r few many <<<"${COUNTS:-400 2400}"
[[ $# -gt 0 && $few -gt 0 && $many -gt $few ]] || die "usage: count-instructions.sh FOLDER…"
compiler=$(command -v cc || command -v clang) || die "no C compiler: apt-get install gcc"
command -v valgrind >/dev/null || die "no valgrind: apt-get install valgrind"
for programs; do [[ -x $programs/PostbackServer ]] || die "$programs has no PostbackServer"; done

work=$(mktemp -d)
server=''
finish() {
    if [[ $server ]]; then kill -KILL "$server" 2>/dev/null || true; fi
    scripts/postgres.sh destroy "$work/postgres" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
stop_on_signals

# Valgrind 3.19 ends in sigsuspend, in which the manager of libdispatch waits for ever.
"$compiler" -shared -fPIC -o "$work/pause.so" -xc - <<'C'
#include <signal.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) { (void)mask; return pause(); }
C

# counted OUTPUT COMMAND…: the command under callgrind, in the place of this shell.
counted() {
    local output=$1
    shift
    exec env LD_PRELOAD="$work/pause.so" valgrind --fair-sched=yes --tool=callgrind \
        --callgrind-out-file="$output" --log-file="$output.log" -- "$@"
}

# total OUTPUT: sets `instructions`, how many that was.
total() {
    instructions=$(sed -n 's/^\(totals\|summary\): \([0-9]*\).*/\2/p' "$1" | tail -n 1)
    [[ $instructions ]] || die "callgrind counted nothing: $(<"$1.log")"
}

# database: a new one, migrated.
database() {
    scripts/postgres.sh destroy "$work/postgres" >/dev/null 2>&1 || true
    DATABASE_URL=$(scripts/postgres.sh start "$work/postgres")
    export DATABASE_URL
    "$work/programs/PostbackServer" migrate >"$work/migrate.log" 2>&1 || die "$(<"$work/migrate.log")"
}

# archive COUNT: prints postbacks of SKAdNetwork 4.0, none twice, as they arrive.
archive() { "$work/programs/adsign" simulate "${simulated[@]}" --count "$1"; }

# stored COUNT: dies unless so many postbacks are in the database.
stored() {
    local number
    number=$(psql -qXAt "$DATABASE_URL" -c 'SELECT count(*) FROM attribution.postback_state')
    [[ $number == "$1" ]] || die "$number postbacks were stored, not $1"
}

# imported COUNT: sets `instructions` to those of an import.
imported() {
    database
    archive "$1" >"$work/archive.ndjson"
    (counted "$work/import.$1" "$work/programs/PostbackServer" import --log-level warning "$work/archive.ndjson") \
        >"$work/import.log" 2>&1 || die "$(<"$work/import.log")"
    stored "$1"
    total "$work/import.$1"
}

# free_port: prints a port that nobody listens on.
free_port() {
    local port
    for port in $(shuf -i 20000-29999 -n 100); do
        if ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then say "$port" && return; fi
    done
    die "no free port"
}

# served COUNT: sets `instructions` to those of a server.
served() {
    local port code=0 tries=0
    database
    port=$(free_port)
    (HTTP_PORT=$port ADMIN_PORT=$((port + 10000)) ADMIN_TOKEN=$(openssl rand -hex 32) LOG_LEVEL=warning \
        counted "$work/serve.$1" "$work/programs/PostbackServer" serve) >"$work/serve.log" 2>&1 &
    server=$!
    until (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        kill -0 "$server" 2>/dev/null && ((++tries < 600)) || die "no server: $(<"$work/serve.log")"
        sleep 0.2
    done
    # So slowly that a server under callgrind answers each, and for as long with few as with many.
    "$work/programs/adsign" simulate "${simulated[@]}" --count "$1" --deliver "http://127.0.0.1:$port" --connections 8 \
        --rate "$(($1 / seconds > 0 ? $1 / seconds : 1))" >"$work/deliver.log" 2>&1 || die "$(<"$work/deliver.log")"
    kill -TERM "$server"
    wait "$server" || code=$?
    server=''
    ((code == 0)) || die "the server ended with $code: $(<"$work/serve.log")"
    stored "$1"
    total "$work/serve.$1"
}

seconds=${SERVE_SECONDS:-120}
export KEYRING_PATH=$work/keys
printf '%-40s %12s %12s\n' 'instructions for a postback' import HTTP
for programs; do
    # Without symbols, which this valgrind can't read.
    mkdir -p "$work/programs"
    for program in PostbackServer adsign; do
        cp "$programs/$program" "$work/programs/"
        strip "$work/programs/$program"
    done
    scripts/demo-keyring.sh "$KEYRING_PATH" "$work/programs/adsign" >/dev/null
    simulated=(--seed 1 --version 4.0 --duplicates 0 --raises 0 --conflicts 0 --key "$KEYRING_PATH/load-test-p256.pem")
    row=("$programs")
    for kind in imported served; do
        "$kind" "$few"
        before=$instructions
        "$kind" "$many"
        row+=("$(((instructions - before) / (many - few)))")
    done
    printf '%-40s %12s %12s\n' "${row[@]}"
done
