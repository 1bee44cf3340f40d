#!/usr/bin/env bash
# torture.sh [ARGUMENT OF Torture/torture.py]…: sets up, builds, and runs the torture with its logs under .local/torture.
# ROUNDS (100), SEED (the time) and KIND (all) are the usual choices. With CLUSTER=1 it hurts a Citus cluster. With APP_STORE=1
# it also delivers notifications of the App Store. With PROGRAMS set, it builds nothing and takes the programs of that folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

main() {
    local arguments=(--rounds "${ROUNDS:-100}" "$@")
    if [[ ${SEED:-} ]]; then arguments+=(--seed "$SEED"); fi
    if [[ ${KIND:-} ]]; then arguments+=(--kind "$KIND"); fi
    if [[ ${CLUSTER:-} ]]; then
        scripts/cluster.sh installed || die "Citus is not installed for this PostgreSQL (docs/cluster.md)"
        arguments+=(--cluster)
    fi
    if [[ ${APP_STORE:-} ]]; then arguments+=(--app-store); fi
    begin_torture torture
    torture "${arguments[@]}"
}

main "$@"
