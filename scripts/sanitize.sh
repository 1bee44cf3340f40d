#!/usr/bin/env bash
# sanitize.sh: builds and runs the tests under ThreadSanitizer and AddressSanitizer, each in a build folder of its own.
# SANITIZER=thread or address runs one of them, FILTER=Name the tests whose names match. SHORT=1 builds only the libraries
# with threads of their own, and their tests, as `make test` does.
#
# The tests with a server of their own are left out: they start the program that was built without a sanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly cluster=$PWD/.local/sanitize

finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    end_child INT 10
    scripts/postgres.sh destroy "$cluster"
    exit "$code"
}

# Swift's keys lie behind pointers with marks in them, which the search for leaks does not see through.
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS="suppressions=$PWD/Tests/thread-sanitizer.txt"

main() {
    local sanitizer folder arguments=(--skip PostbackServerTests --skip BenchTests)
    if [[ ${FILTER:-} ]]; then arguments=(--filter "$FILTER"); fi
    lock .local/sanitize.lock "another \`make sanitize\` is at work in this checkout"
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh 9>&-
    start_test_postgres "$cluster"
    if [[ ${SHORT:-} ]]; then
        export ADATTRIBUTION_SHORT_SANITIZE=1
        arguments=()
    fi
    for sanitizer in ${SANITIZER:-thread address}; do
        export ADATTRIBUTION_SANITIZER=$sanitizer
        folder=.build-$sanitizer${SHORT:+-short}
        say "" "== Build with the sanitizer: $sanitizer"
        supervised swift build --build-tests --sanitize="$sanitizer" --scratch-path "$folder"
        say "" "== Test with the sanitizer: $sanitizer"
        supervised swift test --skip-build --sanitize="$sanitizer" --scratch-path "$folder" \
            ${arguments[@]+"${arguments[@]}"}
    done
}

main "$@"
