#!/usr/bin/env bash
# Removes what was built and what the other scripts left under .local. The key ring stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

for name in run demo test bench torture upgrade recount sanitize; do
    lock ".local/$name.lock" "\`make $name\` is at work in this checkout"
done
for cluster in .local/{postgres,demo/postgres,recount/postgres,test,bench/postgres,torture/postgres,torture/primary,sanitize}; do
    scripts/postgres.sh destroy "$cluster"
done
for cluster in .local/upgrade/*/*/lock; do scripts/postgres.sh destroy "${cluster%/lock}"; done
for cluster in .local/{test-citus,torture/cluster}; do scripts/cluster.sh destroy "$cluster"; done
rm -rf .local .build .build-*
