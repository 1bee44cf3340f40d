#!/usr/bin/env bash
# A private PostgreSQL cluster: a data directory of its own, no network port, never the machine's cluster.
#
#   postgres.sh start DIR     starts it, makes it first if need be, prints its URL; nothing happens if it runs
#   postgres.sh stop DIR      stops it in order
#   postgres.sh kill DIR      SIGKILL to all of its processes, for crash tests; `start` recovers, under the same URL
#   postgres.sh destroy DIR   stops it and removes all of its data
#   postgres.sh status DIR    exit code 0 if it runs, 3 if not
#   postgres.sh url DIR       prints the URL
#   postgres.sh log DIR       prints the path of the server's log
#
# DIR holds
#   data, log      the cluster, unless data-path says where else
#   data-path      written where the cluster's user cannot reach DIR: PostgreSQL refuses to run as root, and a
#                  checkout under a home of mode 0700 is closed to the user postgres
#   socket-path    the folder of the socket: under /tmp, since the path of a socket holds only 107 bytes
#   lock           held while one of these commands is at work
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The caller's settings for other databases (PGPORT, PGDATA, …) and other languages stay out of this.
unset "${!PG@}"
export LC_ALL=C

usage() { die "usage: postgres.sh start|stop|kill|destroy|status|url|log DIR"; }

# ---- where things are ------------------------------------------------------------------------------------------

# Sets `base`, the folder of data and log.
locate() {
    base=$state
    if [[ -s $state/data-path ]]; then
        base=$(<"$state/data-path")
        base=${base%/data}
        # It is going to be removed some day: take no other path for one of ours.
        [[ $base =~ ^/var/tmp/adattribution-[A-Za-z0-9]{6}$ ]] || die "$state/data-path is none of ours: $base"
    fi
    data=$base/data
    log=$base/log
}

# Sets `owner`, the number of the user that the cluster runs as.
find_owner() {
    if [[ -d $data ]]; then
        owner=$(stat -c %u -- "$data")
    elif ((EUID == 0)); then
        owner=$(id -u postgres 2>/dev/null) || die "PostgreSQL does not run as root, and there is no user postgres"
    else
        owner=$EUID
    fi
    ((EUID == 0 || EUID == owner)) || die "$data belongs to the user $(id -nu "$owner" 2>/dev/null || say "$owner")"
}

# From /, since the present folder may be closed to that user.
as_owner() (
    cd /
    close_inherited
    ((EUID != owner)) || exec "$@"
    exec setpriv --reuid="$owner" --regid="$(id -g -- "$(id -nu "$owner")")" --init-groups -- "$@"
)

# make_folder PATH: an empty one that only the cluster's user can enter.
make_folder() {
    rm -rf -- "$1"
    mkdir -m 0700 -- "$1"
    if ((EUID != owner)); then chown "$owner" -- "$1"; fi
}

# Sets `bin`. The data directory of one major version is closed to any other.
find_programs() {
    local version=''
    if [[ -s $data/PG_VERSION ]]; then version=$(<"$data/PG_VERSION"); fi
    bin=$(postgres_bin "$version") ||
        die "no PostgreSQL ${version:-$oldest_postgres or later} here${version:+, which $data was made by}"
}

url() { printf 'postgresql:///attribution?host=%s&port=5432&user=attribution\n' "$socket"; }

# ---- its processes ---------------------------------------------------------------------------------------------

# Prints the cluster's processes: each has the data directory as its working folder. The number in postmaster.pid
# proves nothing, for after a reboot or in a container something else may have it. Asked as the cluster's user, since
# root in a container may not look into other users' processes.
processes() {
    [[ -d $data ]] || return 0
    # shellcheck disable=SC2016
    as_owner "$BASH" -c '
        for process in /proc/[0-9]*; do
            [[ $process/cwd -ef $1 && $(readlink "$process/exe") == */postgres* ]] && echo "${process#/proc/}"
        done
        true' processes "$data" 2>/dev/null
}

# Prints the number of the server's first process, if it runs.
postmaster() {
    local pid
    { read -r pid <"$data/postmaster.pid"; } 2>/dev/null || return 1
    [[ $'\n'$(processes)$'\n' == *$'\n'$pid$'\n'* ]] && say "$pid"
}

# The first process first: it would start the others again.
kill_processes() {
    local pids pid
    if pid=$(postmaster); then kill -s KILL "$pid" 2>/dev/null || true; fi
    while pids=$(processes) && [[ $pids ]]; do
        for pid in $pids; do kill -s KILL "$pid" 2>/dev/null || true; done
        sleep 0.05
    done
}

# pg_ctl takes the server out of our session, away from the terminal's Ctrl-C, and its output to the log.
pg_ctl() { as_owner "$bin/pg_ctl" -D "$data" -s -w "$@" </dev/null; }

sql() { as_owner "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h "$socket" -p 5432 -U attribution "$@" </dev/null; }

# ---- the socket's folder ---------------------------------------------------------------------------------------

# The cluster trusts whoever reaches its socket, so nobody else may have made the folder or may enter it.
socket_is_ours() {
    [[ $socket =~ ^/tmp/aa-[A-Za-z0-9]{6}$ ]] &&
        [[ $(stat -c '%F %u %a' -- "$socket" 2>/dev/null) == "directory $owner 700" ]]
}

find_socket() {
    socket=''
    if [[ -s $state/socket-path ]]; then socket=$(<"$state/socket-path"); fi
}

make_socket_folder() {
    socket=$(as_owner mktemp -d /tmp/aa-XXXXXX)
    say "$socket" >"$state/socket-path"
}

remove_socket_folder() {
    if socket_is_ours; then as_owner rm -rf -- "$socket"; fi
    rm -f -- "$state/socket-path"
}

# ---- making it -------------------------------------------------------------------------------------------------

settings() {
    cat <<'SETTINGS'

# Added by scripts/postgres.sh; the socket's folder is given at every start.
listen_addresses = ''
port = 5432
max_connections = 100
shared_buffers = 256MB
max_wal_size = 2GB
work_mem = 32MB
random_page_cost = 1.1
parallel_tuple_cost = 0.05
jit = off
log_lock_waits = on
SETTINGS
}

# Leaves an empty folder data.new where the cluster's user can work.
choose_place() {
    local fallback
    if [[ $base != "$state" && ! -d $base ]]; then
        say "The data that lay in $base are gone; starting afresh." >&2
        rm -f -- "$state/data-path"
        locate
    fi
    make_folder "$data.new"
    if as_owner test -w "$data.new"; then return; fi
    rmdir -- "$data.new"
    fallback=$(mktemp -d /var/tmp/adattribution-XXXXXX)
    chmod 0711 "$fallback"
    say "$fallback/data" >"$state/data-path"
    locate
    make_folder "$data.new"
}

# Under another name first: what is called data is whole, even if we are killed.
initialise() {
    local output
    choose_place
    output=$(as_owner "$bin/initdb" --pgdata="$data.new" --username=attribution --auth=trust \
        --encoding=UTF8 --locale=C </dev/null 2>&1) || die "initdb failed:"$'\n'"$output"
    settings | as_owner tee -a "$data.new/postgresql.conf" >/dev/null
    mv -T -- "$data.new" "$data"
}

make_log() {
    if [[ -e $log ]]; then return; fi
    (umask 077 && : >"$log")
    if ((EUID != owner)); then chown "$owner" -- "$log"; fi
}

make_database() {
    if [[ -z $(sql -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'attribution'") ]]; then
        sql -d postgres -c 'CREATE DATABASE attribution'
    fi
}

# ---- commands --------------------------------------------------------------------------------------------------

# Nothing of the cluster may run. PostgreSQL refuses to start while postmaster.pid or the socket's lock file names a
# process that happens to exist; without a process of this cluster both are certainly stale.
launch() {
    as_owner rm -f -- "$data/postmaster.pid"
    if socket_is_ours; then
        as_owner rm -f -- "$socket/.s.PGSQL.5432" "$socket/.s.PGSQL.5432.lock"
    else
        make_socket_folder
    fi
    make_log
    # Recovery after a crash may take its time.
    if ! pg_ctl -t 900 -l "$log" -o "-k $socket" start; then
        tail -n 20 -- "$log" >&2
        die "PostgreSQL did not start; its log is $log"
    fi
}

start() {
    find_programs
    if [[ ! -d $data ]]; then initialise; fi
    as_owner test -r "$data/PG_VERSION" || die "the user $(id -nu "$owner") cannot reach $data"
    find_socket
    if postmaster >/dev/null && ! socket_is_ours; then stop; fi
    if ! postmaster >/dev/null; then
        # Sessions that outlived a killed server would keep the new one from starting.
        kill_processes
        launch
    fi
    # If it was running, it may be at its recovery still.
    until sql -d postgres -c 'SELECT 1' >/dev/null 2>&1; do
        postmaster >/dev/null || die "PostgreSQL ended; its log is $log"
        sleep 0.1
    done
    make_database
    url
}

# stop [MODE]
stop() {
    find_socket
    if postmaster >/dev/null; then
        find_programs
        pg_ctl -m "${1:-fast}" -t 120 stop || pg_ctl -m immediate -t 30 stop || true
    fi
    kill_processes
    remove_socket_folder
}

crash() {
    postmaster >/dev/null || die "no cluster runs in $state"
    kill_processes
}

destroy() {
    stop immediate
    rm -rf -- "$data" "$data.new" "$log"
    if [[ $base != "$state" ]]; then rm -rf -- "$base"; fi
    rm -f -- "$state/data-path" "$state/lock"
    rmdir -- "$state" 2>/dev/null || true
}

status() {
    local pid
    find_socket
    if pid=$(postmaster); then
        say "running, process $pid, $(url)"
    else
        say "stopped"
        return 3
    fi
}

print_url() {
    find_socket
    [[ $socket ]] || die "no cluster runs in $state"
    url
}

prepare_state() {
    mkdir -p -- "$state"
    [[ -w $state ]] || die "$state belongs to the user $(stat -c %U -- "$state")"
    # The cluster's user has to pass through.
    if ((EUID == 0)); then chmod a+x -- "$state"; fi
}

# Two commands at once on the same cluster wait for each other.
lock_state() {
    exec {lock}>"$state/lock"
    flock -w 900 "$lock" || die "$state is locked"
}

main() {
    if (($# != 2)) || [[ -z $2 ]]; then usage; fi
    case $1 in start | stop | kill | destroy | status | url | log) ;; *) usage ;; esac
    state=$(realpath -m -- "$2")
    if [[ $1 == start ]]; then
        prepare_state
    elif [[ ! -d $state ]]; then
        case $1 in
            stop | destroy) exit 0 ;;
            status) say "stopped" && exit 3 ;;
            *) die "there is no cluster in $state" ;;
        esac
    fi
    case $1 in start | stop | kill | destroy) lock_state ;; esac
    locate
    find_owner
    case $1 in
        start | stop | destroy | status) "$1" ;;
        kill) crash ;;
        url) print_url ;;
        log) say "$log" ;;
    esac
}

main "$@"
