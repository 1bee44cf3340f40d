#!/usr/bin/env bash
# test.sh [ARGUMENT OF swift test]…: sets up, lints, builds, and runs every test against a PostgreSQL cluster of its
# own, and a Citus cluster if Citus is installed; both are gone afterwards. Short runs of torture and ThreadSanitizer
# follow. With FILTER set, it runs only the tests whose names match it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly cluster=$PWD/.local/test citus=$PWD/.local/test-citus
# What `swift test` printed.
readonly output=$PWD/.local/test.output

finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    if ((code != 0)) && [[ -r ${TEST_DATABASE_LOG:-} ]]; then
        say "The end of the database's log:"
        tail -n 40 "$TEST_DATABASE_LOG"
        say "" "What failed:"
        grep "^✘" "$output"
        say "" "What was not finished:"
        unfinished
    fi 2>/dev/null
    end_child INT 10
    scripts/postgres.sh destroy "$cluster"
    scripts/cluster.sh destroy "$citus"
    exit "$code"
}

# unfinished: prints the tests that began and did not end.
unfinished() {
    awk '/^◇ Test .* started\.$/ && !/^◇ Test (case|run) / {
            sub(/^[^ ]* Test /, ""); sub(/ started\.$/, ""); open[$0] = 1 }
        /^(✔|✘) Test .* (passed|failed) after / {
            sub(/^[^ ]* Test /, ""); sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, ""); delete open[$0] }
        END { for (name in open) print name }' "$output"
}

step() { say "" "== $*"; }

# python_tools: installs what tests need from PyPI in a folder of this checkout.
python_tools() {
    local folder=.local/python
    if ! cmp -s Tests/requirements.txt "$folder/installed.txt"; then
        say "Installing from PyPI:" "$(<Tests/requirements.txt)"
        rm -rf "$folder"
        python3 -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement Tests/requirements.txt
        cp Tests/requirements.txt "$folder/installed.txt"
    fi </dev/null
    TEST_SCHEMATHESIS=$PWD/$folder/bin/st
    TEST_PYTHON=$PWD/$folder/bin/python3
    TEST_CHROMIUM=$(command -v chromium)
    export TEST_SCHEMATHESIS TEST_PYTHON TEST_CHROMIUM
}

main() {
    local arguments=("$@")
    if [[ ${FILTER:-} ]]; then arguments+=(--filter "$FILTER"); fi
    lock .local/test.lock "another \`make test\` is at work in this checkout"
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh python3 chromium softhsm2 promtool 9>&-
    python_tools 9>&-
    swift --version 2>&1 </dev/null
    step "Lint"
    supervised scripts/format.sh lint
    step "Build"
    supervised swift build --build-tests
    step "Test"
    start_test_postgres "$cluster"
    TEST_BIN_DIR=$(swift build --show-bin-path </dev/null)
    export TEST_BIN_DIR
    # What a run left that was killed outright.
    scripts/cluster.sh destroy "$citus"
    if scripts/cluster.sh installed; then
        TEST_CLUSTER_URLS=$(scripts/cluster.sh start "$citus" 9>&-)
        export TEST_CLUSTER_URLS
    else
        say "Citus is not installed: tests that need a cluster are skipped"
    fi
    # A line at a time, so that what a killed run printed is whole.
    supervised stdbuf -oL swift test --skip-build ${arguments[@]+"${arguments[@]}"} > >(tee -i "$output" 9>&-) 2>&1
    if ((${#arguments[@]} > 0)); then return; fi
    # What fails from here on says so itself.
    unset TEST_DATABASE_LOG
    # Short runs of `make torture` and `make sanitize`; each has its own PostgreSQL. `make fuzz` has a build of its own,
    # which takes too long for this: `FuzzTests` ran the kept inputs.
    export PROGRAMS=$TEST_BIN_DIR
    step "Torture"
    # The kinds that hurt most and take least time.
    ROUNDS=10 supervised scripts/torture.sh --postbacks 500 --new-sources 1000 --kind "server killed" \
        --kind "PostgreSQL killed" --kind "two servers, one killed" \
        --kind "two servers meet new sources, one killed" --kind "COMMIT lost" --kind "COMMIT unanswered" \
        --kind "backends terminated" --kind "disk full" --kind "receiver's lines cut" \
        --kind "leader stopped (SIGSTOP), replaced"
    step "Upgrade"
    # `OLD_PROGRAMS` names the programs of an older commit; without it nothing is built twice, and that kind is left out.
    supervised scripts/upgrade.sh --postbacks 400
    if scripts/cluster.sh installed; then
        step "Torture of a cluster"
        # `ClusterExportTests` recounts every report of a cluster.
        CLUSTER=1 ROUNDS=5 supervised scripts/torture.sh --postbacks 400 --new-sources 400 --lanes 4 --moves 1 \
            --no-reports --kind "worker killed" --kind "shards split" \
            --kind "shards moved, two servers, one killed" --kind "two servers meet new sources, one killed" \
            --kind "receiver's lines cut"
    fi
    step "Sanitize"
    SHORT=1 SANITIZER=thread supervised scripts/sanitize.sh
}

main "$@"
