# shellcheck shell=bash
# What the scripts beside this file share. Sourced, never run.

# The oldest PostgreSQL that the migrations are written for.
readonly oldest_postgres=15

# One line for each argument.
say() { printf '%s\n' "$@"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# postgres_bin [MAJOR]: prints the folder of a complete PostgreSQL server, of that major version or else of the highest
# one that is new enough. Debian keeps these programs off the PATH.
postgres_bin() {
    local folder major best='' best_major=$((oldest_postgres - 1))
    for folder in "$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin; do
        [[ -x $folder/initdb && -x $folder/pg_ctl && -x $folder/psql ]] || continue
        major=$("$folder/postgres" --version 2>/dev/null | sed 's/.*) \([0-9]*\).*/\1/')
        if [[ $major && ${1:-$major} == "$major" ]] && ((major > best_major)); then best=$folder best_major=$major; fi
    done
    [[ $best ]] && say "$best"
}

# lock FILE TEXT: dies with this text if another process holds the file. The lock is descriptor 9, which programs that
# live on must not keep open.
lock() {
    mkdir -p "${1%/*}"
    [[ -w ${1%/*} ]] || die "${1%/*} belongs to the user $(stat -c %U "${1%/*}")"
    exec 9>>"$1"
    flock -n 9 || die "$2"
}

# stop_on_signals: a signal ends the script, whose EXIT trap then stops things in order. If the terminal is closed,
# make does not pass it on, so `supervised` looks itself.
stop_on_signals() {
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'exit 129' HUP PIPE
    terminal=''
    if [[ -t 0 ]]; then terminal=yes; fi
}

# The program that runs under `supervised`. The scripts' own processes have no other sessions.
child=''

# supervised COMMAND…: runs it in a session of its own and returns its exit code. A Ctrl-C at the terminal reaches only
# the script, and whatever the program leaves behind can be found.
supervised() {
    local code=0 id
    # Bash lets background programs ignore INT and QUIT; env undoes this.
    env --default-signal=INT,QUIT setsid -- "$@" </dev/null 9>&- &
    child=$!
    while kill -0 "$child" 2>/dev/null; do
        if [[ $terminal && ! -t 0 ]]; then exit 129; fi
        sleep 1 9>&- &
        wait -n "$child" $! || true
    done
    id=$child child=''
    wait "$id" || code=$?
    kill_session "$id"
    return "$code"
}

# end_child SIGNAL SECONDS: asks the program to end, gives it that long, then kills all of its session. Returns its exit
# code.
end_child() {
    local code=0 deadline=$((SECONDS + $2))
    [[ $child ]] || return 0
    kill -s "$1" "$child" 2>/dev/null || true
    while kill -0 "$child" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.1; done
    kill_session "$child"
    wait "$child" 2>/dev/null || code=$?
    return "$code"
}

# stop_server: ends the server that runs under `supervised`: it stores what it has accepted. Returns its exit code.
stop_server() {
    local code=0
    say "" "Stopping." 2>/dev/null || true
    end_child TERM 35 || code=$?
    # It was told to stop before it could handle that.
    if ((code == 143)); then code=0; fi
    return "$code"
}

# build_programs [OPTION OF swift build]…: builds the server and adsign, and sets `programs` to the folder that has them.
build_programs() {
    supervised swift build "$@" --product PostbackServer
    supervised swift build "$@" --product adsign
    # shellcheck disable=SC2034 # The caller reads it.
    programs=$(swift build "$@" --show-bin-path </dev/null)
}

# role_url URL ROLE: the URL of a cluster of postgres.sh for another role.
role_url() { say "${1/user=attribution/user=$2}"; }

# migrate_as_owner URL BIN: in the database of URL, whose user is a superuser, makes the roles attribution_owner, _serve, _read
# and _backup, migrates as the owner, and gives the others their rights. BIN has the built programs.
#
# A database that an earlier build has made keeps its owner.
migrate_as_owner() {
    local owner grants output
    owner=$(psql "$1" -XAtc "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'attribution'" </dev/null)
    owner=${owner:-attribution_owner}
    grants=$("$2/PostbackServer" grants --create-roles --owner "$owner" --serve attribution_serve \
        --read attribution_read --backup attribution_backup)
    output=$(psql "$1" -Xq -v ON_ERROR_STOP=1 2>&1 <<<"$grants") || die "$output"
    DATABASE_URL=$(role_url "$1" "$owner") "$2/PostbackServer" migrate </dev/null
    psql "$1" -Xq -v ON_ERROR_STOP=1 <<<"$grants"
}

# start_test_postgres DIR: starts a new PostgreSQL cluster for tests in DIR, and exports how tests find it. A cluster that
# a killed run left there is removed first. Tests kill processes, not machines, and each drops its database, so this
# cluster does not wait for the disk.
start_test_postgres() {
    scripts/postgres.sh destroy "$1"
    TEST_DATABASE_URL=$(POSTGRES_SETTINGS=$'fsync = off\nfull_page_writes = off' scripts/postgres.sh start "$1" 9>&-)
    TEST_DATABASE_LOG=$(scripts/postgres.sh log "$1")
    TEST_POSTGRES_SCRIPT=$PWD/scripts/postgres.sh
    export TEST_DATABASE_URL TEST_DATABASE_LOG TEST_POSTGRES_SCRIPT
}

# begin_torture NAME: takes the lock of `make NAME`, and installs what is missing. However the script ends, its program is
# ended and what it had is removed.
begin_torture() {
    torture_name=$1
    lock ".local/$1.lock" "another \`make $1\` is at work in this checkout"
    stop_on_signals
    trap finish_torture EXIT
    scripts/setup.sh python3 9>&-
}

# destroy_torture: removes each PostgreSQL under .local/NAME. A run that was killed outright leaves its own; the next run
# removes them.
destroy_torture() {
    local path
    for path in ".local/$torture_name"/*/lock ".local/$torture_name"/*/*/lock; do
        if [[ -e $path ]]; then scripts/postgres.sh destroy "${path%/lock}"; fi
    done
}

finish_torture() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child INT 60
    destroy_torture
    exit "$code"
}

# torture [ARGUMENT]…: after begin_torture, runs Torture/NAME.py with its logs under .local/NAME. It builds the programs, or
# takes those of the folder PROGRAMS.
torture() {
    local programs
    if [[ ! ${PROGRAMS:-} ]]; then
        build_programs
        PROGRAMS=$programs
    fi
    destroy_torture
    rm -rf ".local/$torture_name"
    supervised python3 "Torture/$torture_name.py" --programs "$PROGRAMS" \
        --scratch "$PWD/.local/$torture_name" "$@"
}

# kill_session ID: compilers and tests' programs have process groups of their own, but no sessions.
kill_session() {
    local path stat fields
    for path in /proc/[0-9]*; do
        { read -r stat <"$path/stat"; } 2>/dev/null || continue
        # Behind the name in brackets come state, parent, group and session.
        read -r -a fields <<<"${stat##*) }"
        if [[ ${fields[3]} == "$1" ]]; then kill -s KILL "${path##*/}" 2>/dev/null || true; fi
    done
}
