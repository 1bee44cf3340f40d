#!/usr/bin/env bash
# recount.sh: sets up, builds, loads a simulated quarter of everything into a database of its own, and recounts every report
# of it in Python. INSTALLS_A_DAY says how many; 440 make about 100,000 postbacks. Nothing of it is left.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly folder=$PWD/.local/recount

remove() {
    scripts/postgres.sh destroy "$folder/postgres"
    rm -rf "$folder"
}

# Nobody interrupts this.
finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child TERM 5
    remove || code=1
    exit "$code"
}

main() {
    local programs
    lock .local/recount.lock "another \`make recount\` is at work in this checkout; stop it first"
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh 9>&-
    build_programs -c release
    # What a run left that was killed outright.
    remove
    mkdir -p "$folder"
    DATABASE_URL=$(scripts/postgres.sh start "$folder/postgres" 9>&-)
    export DATABASE_URL
    supervised scripts/recount-load.sh "$folder" "$programs" "${INSTALLS_A_DAY:-440}"
    supervised python3 recount "$DATABASE_URL"
}

main
