#!/usr/bin/env bash
# Keeps the SHA-256 of each migration in migrations/SHA256SUMS, with which a test compares them.
#
#   migration-checksums.sh           adds the lines of new migrations; refuses one that has changed
#   migration-checksums.sh --anew    writes all lines anew: only if no database has the migrations that have changed
#
# A server refuses a database to which another text of a migration was applied, so a migration is only added.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd -- "$(dirname "${BASH_SOURCE[0]}")/../migrations"

main() {
    local file
    if [[ $# == 1 && $1 == --anew ]]; then
        sha256sum -- *.sql >SHA256SUMS
        say "wrote the checksums of all migrations anew"
        return
    fi
    (($# == 0)) || die "usage: migration-checksums.sh [--anew]"
    sha256sum --check --quiet SHA256SUMS ||
        die "a migration has changed or is gone: put it back, and write what is to change into a new one." \
            "If no database has it yet: scripts/migration-checksums.sh --anew"
    for file in *.sql; do
        if grep -q " $file\$" SHA256SUMS; then continue; fi
        sha256sum -- "$file" >>SHA256SUMS
        say "added $file"
    done
}

main "$@"
