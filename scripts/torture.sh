#!/usr/bin/env bash
# torture.sh [ARGUMENT OF Torture/torture.py]…: sets up, builds, and runs the torture with its logs under .local/torture.
# ROUNDS (100), SEED (the time) and KIND (all) are the usual choices. With CLUSTER=1 it hurts a Citus cluster. With PROGRAMS
# set, it builds nothing and takes the programs of that folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

destroy() {
    for cluster in .local/torture/postgres .local/torture/primary; do scripts/postgres.sh destroy "$cluster"; done
    scripts/cluster.sh destroy .local/torture/cluster
}

# A run that was killed outright leaves its clusters; the next run removes them.
finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child INT 60
    destroy
    exit "$code"
}

main() {
    local programs arguments=(--rounds "${ROUNDS:-100}" "$@")
    if [[ ${SEED:-} ]]; then arguments+=(--seed "$SEED"); fi
    if [[ ${KIND:-} ]]; then arguments+=(--kind "$KIND"); fi
    if [[ ${CLUSTER:-} ]]; then
        scripts/cluster.sh installed || die "Citus is not installed for this PostgreSQL (docs/cluster.md)"
        arguments+=(--cluster)
    fi
    lock .local/torture.lock "another \`make torture\` is at work in this checkout"
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh python3 9>&-
    if [[ ! ${PROGRAMS:-} ]]; then
        build_programs
        PROGRAMS=$programs
    fi
    destroy
    rm -rf .local/torture
    supervised python3 Torture/torture.py --programs "$PROGRAMS" --scratch "$PWD/.local/torture" \
        "${arguments[@]}"
}

main "$@"
