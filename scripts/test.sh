#!/usr/bin/env bash
# test.sh [ARGUMENT OF swift test]…: sets up, lints, builds, and runs every test against a PostgreSQL cluster of its
# own, which is gone afterwards. With FILTER set, only the Swift tests whose names match it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

state=''

# ---- stopping --------------------------------------------------------------------------------------------------

on_signal() { exit $((128 + $(kill -l "$1"))); }

finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child INT 10
    if [[ $state ]]; then
        if ((code != 0)) && [[ -e ${TEST_DATABASE_LOG:-} ]]; then
            say "The end of the database's log:"
            tail -n 40 "$TEST_DATABASE_LOG"
        fi 2>/dev/null
        remove_state
    fi
    exit "$code"
}

# ---- the cluster -----------------------------------------------------------------------------------------------

start_cluster() {
    make_state test
    TEST_DATABASE_URL=$(scripts/postgres.sh start "$state/postgres")
    TEST_DATABASE_LOG=$(scripts/postgres.sh log "$state/postgres")
    TEST_POSTGRES_SCRIPT=$PWD/scripts/postgres.sh
    export TEST_DATABASE_URL TEST_DATABASE_LOG TEST_POSTGRES_SCRIPT
}

# ---- steps -----------------------------------------------------------------------------------------------------

step() { say "" "== $*"; }

versions() {
    swift --version 2>&1 </dev/null
    "$(postgres_bin '')/postgres" --version
}

main() {
    local signal_name arguments=("$@")
    for signal_name in INT TERM HUP PIPE; do
        # shellcheck disable=SC2064
        trap "on_signal $signal_name" "$signal_name"
    done
    trap finish EXIT
    scripts/setup.sh
    versions
    if [[ ${FILTER:-} ]]; then arguments+=(--filter "$FILTER"); fi

    step "Lint"
    supervised swift format lint --strict --recursive --parallel Benchmarks Sources Tests migrations Package.swift
    # A part of the tests was asked for: hardly the scripts'.
    if ((${#arguments[@]} == 0)); then
        step "Scripts"
        supervised scripts/check-scripts.sh
    fi
    step "Build"
    supervised swift build --build-tests
    TEST_BIN_DIR=$(swift build --show-bin-path </dev/null)
    export TEST_BIN_DIR
    step "Test"
    start_cluster
    supervised swift test --skip-build ${arguments[@]+"${arguments[@]}"}
}

main "$@"
