#!/usr/bin/env bash
# A private PostgreSQL cluster: data of its own, no network port, never the machine's cluster.
#
#   postgres.sh start DIR     starts it, makes it first if need be, prints its URL; nothing happens if it runs
#   postgres.sh stop DIR      stops it in order
#   postgres.sh kill DIR      SIGKILL to all of its processes, for crash tests; `start` recovers, under the same URL
#   postgres.sh destroy DIR   stops it and removes all of its data
#   postgres.sh standby DIR PRIMARY   makes a standby of the cluster in the folder PRIMARY, starts it, prints its URL
#   postgres.sh status DIR    exit code 0 if it runs, 3 if not
#   postgres.sh log DIR       prints the path of the server's log
#
# With POSTGRES_SETTINGS set, `start` adds these lines to the settings of a cluster that it makes.
#
# Data and log lie in DIR. PostgreSQL does not run as root, and its user may not reach DIR: for root they lie in a folder
# under /var/tmp, and DIR/data-path says in which. DIR/socket-path names the folder of the socket. It is under /tmp, since
# the path of a socket holds 107 bytes only.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The caller's settings for other databases (PGPORT, PGDATA, …) and other languages stay out of this.
unset "${!PG@}"
export LC_ALL=C

# Sets `owner`, the user that the cluster runs as, and `base`, `data`, `log`, `socket`.
find_places() {
    owner=$EUID
    if ((EUID == 0)); then
        owner=$(id -u postgres 2>/dev/null) || die "PostgreSQL does not run as root, and there is no user postgres"
    fi
    base=$state
    if [[ -s $state/data-path ]]; then base=$(<"$state/data-path") base=${base%/data}; fi
    # It is going to be removed some day: take no other folder for one of ours.
    [[ $base == "$state" || $base =~ ^/var/tmp/adattribution-[A-Za-z0-9]{6}$ ]] || die "$base is none of ours"
    data=$base/data log=$base/log socket=''
    if [[ -s $state/socket-path ]]; then socket=$(<"$state/socket-path"); fi
    if [[ -e $data && ! -O $data && $EUID != 0 ]]; then die "$data belongs to the user $(stat -c %U "$data")"; fi
}

# From /, since the present folder may be closed to that user; without the caller's locks.
as_owner() (
    cd /
    exec 8>&- 9>&-
    ((EUID != owner)) || exec "$@"
    exec setpriv --reuid="$owner" --regid="$(id -g postgres)" --init-groups -- "$@"
)

# Sets `bin`. The data of one major version are closed to any other.
find_programs() {
    local version=''
    if as_owner test -s "$data/PG_VERSION"; then version=$(as_owner cat "$data/PG_VERSION"); fi
    bin=$(postgres_bin "$version") || die "no PostgreSQL ${version:-$oldest_postgres or later} here"
}

# Prints the number of the server's first process, if it runs. After a reboot another program may have that number, so
# its working folder must be the data.
postmaster() {
    local pid
    pid=$(as_owner head -n 1 "$data/postmaster.pid" 2>/dev/null) || return 1
    [[ $(as_owner readlink "/proc/$pid/cwd") == "$data" ]] && say "$pid"
}

sql() { as_owner "$bin/psql" -X -q -A -t -h "$socket" -p 5432 -U attribution -d "$1" -c "$2" </dev/null; }

# For root, data and log lie elsewhere.
find_room() {
    if ((EUID != owner)); then
        base=$(as_owner mktemp -d /var/tmp/adattribution-XXXXXX)
        say "$base/data" >"$state/data-path"
        data=$base/data log=$base/log
    fi
    as_owner rm -rf "$data.new"
}

# Under another name first: what is called data is whole, even if we are killed.
initialise() {
    local output
    find_room
    output=$(as_owner "$bin/initdb" --pgdata="$data.new" --username=attribution --auth=trust \
        --encoding=UTF8 --locale=C </dev/null 2>&1) || die "initdb failed:"$'\n'"$output"
    as_owner tee -a "$data.new/postgresql.conf" >/dev/null <<'SETTINGS'

# Added by scripts/postgres.sh; the socket's folder is given at every start.
listen_addresses = ''
port = 5432
max_connections = 200
shared_buffers = 256MB
max_wal_size = 2GB
work_mem = 32MB
random_page_cost = 2
parallel_tuple_cost = 0.05
jit = off
log_lock_waits = on
SETTINGS
    if [[ ${POSTGRES_SETTINGS:-} ]]; then
        as_owner tee -a "$data.new/postgresql.conf" >/dev/null <<<"$POSTGRES_SETTINGS"
    fi
    as_owner mv -T "$data.new" "$data"
}

# The cluster trusts whoever reaches its socket, so its folder is closed to others. A killed server leaves files behind,
# which name processes that may be others by now.
launch() {
    if [[ $(stat -c '%F %u %a' "$socket" 2>/dev/null) != "directory $owner 700" ]]; then
        socket=$(as_owner mktemp -d /tmp/aa-XXXXXX)
        say "$socket" >"$state/socket-path"
    fi
    as_owner rm -f "$data/postmaster.pid" "$socket"/.s.PGSQL.5432*
    # pg_ctl takes the server out of our session. Recovery after a crash may take its time.
    as_owner "$bin/pg_ctl" -D "$data" -s -w -t 900 -l "$log" -o "-k $socket" start </dev/null ||
        die "PostgreSQL did not start; its log is $log"
}

start() {
    find_programs
    as_owner test -d "$data" || initialise
    postmaster >/dev/null || launch
    [[ $(sql postgres "SELECT 1 FROM pg_database WHERE datname = 'attribution'") ]] ||
        sql postgres 'CREATE DATABASE attribution'
    say "postgresql:///attribution?host=$socket&port=5432&user=attribution"
}

# A copy that follows the primary's log.
copy() {
    local output primary_socket
    primary_socket=$(<"$1/socket-path")
    find_room
    output=$(as_owner "$bin/pg_basebackup" --host="$primary_socket" --port=5432 --username=attribution \
        --pgdata="$data.new" --write-recovery-conf --wal-method=stream --checkpoint=fast </dev/null 2>&1) ||
        die "pg_basebackup failed:"$'\n'"$output"
    as_owner mv -T "$data.new" "$data"
}

standby() {
    find_programs
    as_owner test -d "$data" || copy "$1"
    postmaster >/dev/null || launch
    say "postgresql:///attribution?host=$socket&port=5432&user=attribution"
}

stop() {
    if postmaster >/dev/null; then
        find_programs
        as_owner "$bin/pg_ctl" -D "$data" -s -w -m "${1:-fast}" -t 120 stop </dev/null || crash
    fi
    if [[ $socket =~ ^/tmp/aa-[A-Za-z0-9]{6}$ ]]; then as_owner rm -rf "$socket"; fi
    rm -f "$state/socket-path"
}

# The first process is held first, so that it does not make others meanwhile.
crash() {
    local pid processes
    pid=$(postmaster) || die "no cluster runs in $state"
    kill -s STOP "$pid"
    read -r -a processes <"/proc/$pid/task/$pid/children" || true
    kill -s KILL "$pid" ${processes[@]+"${processes[@]}"} 2>/dev/null || true
    for pid in "$pid" ${processes[@]+"${processes[@]}"}; do
        while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    done
}

main() {
    local pid
    if (($# != 2)) && [[ $# != 3 || $1 != standby ]] || [[ -z $2 ]]; then
        die "usage: postgres.sh start|stop|kill|destroy|status|log DIR, postgres.sh standby DIR PRIMARY"
    fi
    state=$(realpath -m -- "$2")
    if [[ $1 == start || $1 == standby ]]; then mkdir -p -- "$state"; fi
    if [[ ! -d $state ]]; then
        case $1 in stop | destroy) exit 0 ;; *) say "stopped" && exit 3 ;; esac
    fi
    # Two commands at once on the same cluster wait for each other.
    exec 8>>"$state/lock"
    flock -w 900 8 || die "$state is locked"
    find_places
    case $1 in
        start | stop) "$1" ;;
        standby) standby "$3" ;;
        kill) crash ;;
        destroy)
            stop immediate
            rm -rf "$data" "$data.new" "$log"
            if [[ $base != "$state" ]]; then rm -rf "$base"; fi
            rm -rf "$state"
            ;;
        status)
            pid=$(postmaster) || { say "stopped" && exit 3; }
            say "running, process $pid, postgresql:///attribution?host=$socket&port=5432&user=attribution"
            ;;
        log) say "$log" ;;
        *) die "no such command: $1" ;;
    esac
}

main "$@"
