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

# postgres_bin [MAJOR]: prints the folder of a complete PostgreSQL server, of that major version or else of the
# highest one that is new enough. Debian keeps these programs off the PATH.
postgres_bin() {
    local wanted=${1:-} folder major best='' best_major=0
    for folder in "$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin; do
        [[ -x $folder/postgres && -x $folder/initdb && -x $folder/pg_ctl && -x $folder/psql ]] || continue
        major=$("$folder/postgres" --version)
        [[ $major =~ \)\ ([0-9]+) ]] || continue
        major=${BASH_REMATCH[1]}
        ((major >= oldest_postgres)) || continue
        [[ -z $wanted || $major == "$wanted" ]] || continue
        if ((major > best_major)); then
            best=$folder
            best_major=$major
        fi
    done
    [[ $best ]] && printf '%s\n' "$best"
}

# Closes all that was inherited beyond stdin, stdout and stderr: a program that lives on must not keep somebody's
# lock or pipe open. To be called in a subshell. (255 is bash's own, and closes by itself.)
close_inherited() {
    local path fd
    for path in "/proc/$BASHPID/fd"/*; do
        fd=${path##*/}
        if ((fd > 2 && fd != 255)); then exec {fd}>&-; fi
    done
}

# The program that `start_child` started and that has not been waited for.
child=''

# start_child COMMAND…: in the background and in a session of its own, so that a Ctrl-C at the terminal reaches only
# the script, which then stops things in order; and so that whatever the program leaves behind can be found. Should
# the script be killed outright, the program gets a TERM. Bash lets background programs ignore INT and QUIT: undone.
start_child() {
    (
        close_inherited
        exec env --default-signal=INT,QUIT setsid setpriv --pdeathsig TERM -- "$@"
    ) </dev/null &
    child=$!
}

# Waits for the child and returns its exit code. A trapped signal interrupts this at once.
wait_child() {
    local code=0 pid=$child
    wait "$pid" || code=$?
    child=''
    kill_session "$pid"
    return "$code"
}

supervised() {
    start_child "$@"
    wait_child
}

# end_child SIGNAL SECONDS: asks the child to end, gives it that long, then kills it and all of its session.
# Returns the child's exit code: 137 if it had to be killed.
end_child() {
    local code=0 pid=$child deadline=$((SECONDS + $2))
    [[ $pid ]] || return 0
    kill -s "$1" "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.1; done
    kill_session "$pid"
    wait "$pid" 2>/dev/null || code=$?
    child=''
    return "$code"
}

# kill_session ID: a compiler or a test's program sits in a process group of its own, but never in a session of its
# own. (procps, and with it pkill, is not on every machine.)
kill_session() {
    local id=$1 path line fields
    for path in /proc/[0-9]*; do
        { read -r line <"$path/stat"; } 2>/dev/null || continue
        # The second field is the program's name in brackets; behind it come state, parent, group and session.
        read -r -a fields <<<"${line##*) }"
        [[ ${fields[3]} == "$id" && ${fields[0]} != Z ]] || continue
        kill -s KILL "${path##*/}" 2>/dev/null || true
    done
}

# sweep_states NAME: removes what runs that were killed outright left of their `make_state NAME`: its lock is free.
sweep_states() {
    local old lock
    for old in .local/"$1"-*/; do
        [[ -w $old ]] || continue
        (
            exec {lock}>>"$old/lock"
            flock -n "$lock" || exit 0
            scripts/postgres.sh destroy "$old/postgres"
            rm -rf "$old"
        )
    done
}

# make_state NAME: sets `state`, a new folder .local/NAME-XXXXXX that is locked until we end. A cluster of ours goes to
# its subfolder `postgres`.
make_state() {
    local folder
    mkdir -p .local
    [[ -w .local ]] || die "$PWD/.local belongs to the user $(stat -c %U .local)"
    sweep_states "$1"
    # In two steps: should mktemp fail, `state` must not name the checkout, which would then be removed.
    folder=$(mktemp -d ".local/$1-XXXXXX")
    state=$PWD/$folder
    if ((EUID == 0)); then chmod a+x "$state"; fi
    exec {lock}>>"$state/lock"
    flock -n "$lock"
}

# Destroys the cluster and removes the folder, if there is one.
remove_state() {
    [[ $state ]] || return 0
    scripts/postgres.sh destroy "$state/postgres"
    rm -rf "$state"
}
