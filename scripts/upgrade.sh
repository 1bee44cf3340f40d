#!/usr/bin/env bash
# upgrade.sh [ARGUMENT OF Torture/upgrade.py]…: sets up, builds, and upgrades, backs up and recovers databases while clients
# deliver, with its logs under .local/upgrade. With OLD=COMMIT it also builds this older commit, and both versions serve one
# database. With PROGRAMS set it builds nothing of this checkout, and with OLD_PROGRAMS nothing of the older commit: it takes
# the programs of these folders.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

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
    local arguments=("$@")
    begin_torture upgrade
    if [[ ${OLD:-} && ! ${OLD_PROGRAMS:-} ]]; then build_older "$OLD"; fi
    if [[ ${OLD_PROGRAMS:-} ]]; then arguments+=(--older "$OLD_PROGRAMS"); fi
    torture ${arguments[@]+"${arguments[@]}"}
}

main "$@"
