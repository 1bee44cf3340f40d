#!/usr/bin/env bash
# upgrade.sh [ARGUMENT OF Torture/upgrade.py]…: sets up, builds, and upgrades, backs up and recovers databases while clients
# deliver, with its logs under .local/upgrade. With OLD=COMMIT it also builds this older commit, and both versions serve one
# database. With PROGRAMS set it builds nothing of this checkout, and with OLD_PROGRAMS nothing of the older commit: it takes
# the programs of these folders.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

# The PostgreSQL of a run that was killed outright: Torture/upgrade.py has one for each database of each kind.
destroy() {
    local path
    for path in .local/upgrade/*/*/lock; do
        if [[ -e $path ]]; then scripts/postgres.sh destroy "${path%/lock}"; fi
    done
}

finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child INT 60
    destroy
    exit "$code"
}

# build_older COMMIT: builds the server of a commit in a folder that the next run uses again, and sets OLD_PROGRAMS.
build_older() {
    local commit folder
    commit=$(git rev-parse --verify --quiet "$1^{commit}") || die "OLD: there is no commit $1"
    folder=.local/older/$commit
    if [[ ! -e $folder/Package.swift ]]; then
        rm -rf "$folder.new"
        mkdir -p "$folder.new"
        git archive "$commit" | tar -x -C "$folder.new"
        mv -T "$folder.new" "$folder"
    fi
    supervised swift build --package-path "$folder" --product PostbackServer
    OLD_PROGRAMS=$(swift build --package-path "$folder" --show-bin-path </dev/null)
}

main() {
    local programs arguments=("$@")
    lock .local/upgrade.lock "another \`make upgrade\` is at work in this checkout"
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh python3 9>&-
    if [[ ${OLD:-} && ! ${OLD_PROGRAMS:-} ]]; then build_older "$OLD"; fi
    if [[ ! ${PROGRAMS:-} ]]; then
        build_programs
        PROGRAMS=$programs
    fi
    if [[ ${OLD_PROGRAMS:-} ]]; then arguments+=(--older "$OLD_PROGRAMS"); fi
    destroy
    rm -rf .local/upgrade
    supervised python3 Torture/upgrade.py --programs "$PROGRAMS" --scratch "$PWD/.local/upgrade" \
        ${arguments[@]+"${arguments[@]}"}
}

main "$@"
