#!/usr/bin/env bash
# fuzz.sh: builds the fuzzer and tries random inputs for SECONDS each (60 by default) on every target, or on TARGET.
#
# The corpora in Fuzz/Corpora are the beginning. What is found on the way is kept in .local/fuzz/TARGET, so that the next
# run goes on there. An input that breaks a rule is written to .local/fuzz/findings, and its rule is printed.
# Without TARGET, the tests of what the App Store signs follow, with 10,000 random changes of each text: they compare our
# verdicts with those of Apple's library in Python.
# SEED repeats the choices of a run that began with the same corpus. `fuzz.sh merge` takes what reached new code over
# into Fuzz/Corpora, as few and as short inputs as possible.
set -euo pipefail
seconds=${FUZZ_SECONDS:-60}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly program=.build-fuzz/debug/fuzz findings=.local/fuzz/findings

# Swift's keys lie behind pointers with marks in them, which the search for leaks does not see through. A growing process
# is ended by the limit of memory.
fuzz() {
    FUZZ_TARGET=$target ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no nice "$program" \
        -detect_leaks=0 -timeout=10 -rss_limit_mb=1024 -max_len=20000 -artifact_prefix="$findings/$target-" "$@" 2>&1
}

run() {
    local log=.local/fuzz/$target.log code=0
    mkdir -p ".local/fuzz/$target" "$findings"
    fuzz -max_total_time="$seconds" -seed="${SEED:-0}" -print_final_stats=1 \
        ".local/fuzz/$target" "Fuzz/Corpora/$target" >"$log" || code=$?
    if ((code != 0)); then
        grep -a -m 5 -E 'Fatal error|ERROR:|artifact_prefix' "$log" || tail -n 20 "$log"
        failed+=("$target")
        return
    fi
    say "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, no finding"
}

merge() {
    local few=.local/fuzz/merged
    rm -rf "$few" && mkdir -p "$few"
    fuzz -merge=1 -max_len=2000 "$few" "Fuzz/Corpora/$target" ".local/fuzz/$target" | tail -n 1
    cp -n "$few"/* "Fuzz/Corpora/$target/"
}

main() {
    failed=()
    ADATTRIBUTION_FUZZ=1 swift build --scratch-path .build-fuzz --product fuzz --sanitize=address
    for target in ${TARGET:-$(cd Fuzz/Corpora && printf '%s\n' *)}; do
        if [[ ${1:-} == merge ]]; then merge; else run; fi
    done
    if [[ -z ${TARGET:-} && ${1:-} != merge ]]; then
        MUTATIONS=10000 FILTER=AppStoreDataTests scripts/test.sh || failed+=("AppStoreDataTests")
    fi
    ((${#failed[@]} == 0)) || die "findings for: ${failed[*]} (see $findings)"
}

main "$@"
