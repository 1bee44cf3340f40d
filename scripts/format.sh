#!/usr/bin/env bash
# format.sh lint|format: checks the format of the Swift sources, or formats them in place.
#
# swift-format keeps every file that it is given open. There are more files than the usual limit of open files (1,024),
# so it is given some at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

case ${1:-} in
    lint) options=(lint --strict --parallel) ;;
    format) options=(format --in-place --parallel) ;;
    *) die "usage: format.sh lint|format" ;;
esac
find Benchmarks Fuzz Sources Tests Package.swift -name '*.swift' -print0 |
    xargs -0 -n 200 swift format "${options[@]}"
