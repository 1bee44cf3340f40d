#!/usr/bin/env bash
# Removes what was built and what the other scripts left under .local. The key ring stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

# remove_cluster FOLDER LOCK: not under the feet of a run that uses it.
remove_cluster() {
    [[ -d $1 ]] || return 0
    exec {lock}>>"$2"
    flock -n "$lock" || die "$2 is held: \`make run\` or \`make test\` is at work in this checkout"
    scripts/postgres.sh destroy "$1"
}

remove_cluster .local/postgres .local/lock
for state in .local/test-*/ .local/bench-*/; do remove_cluster "${state}postgres" "${state}lock"; done
rm -rf .local .build
