#!/usr/bin/env bash
# Raises the number of the definitions if their text has changed.
#
#   definitions-revision.sh
#
# A database stores the number, so that an older program never puts older definitions back. Run it once for a change, at its
# end: a test compares the text with the SHA-256 beside the number. After a merge of two changes run it again.
set -euo pipefail
cd -- "$(dirname "${BASH_SOURCE[0]}")/.."

readonly header=Sources/CSchema/include/definitions_revision.h

main() {
    local checksum revision
    # In the order in which they are run.
    # shellcheck disable=SC2046
    checksum=$(cat -- $(sed -n 's,^#embed "../../\(definitions/[a-z_]*\.sql\)".*,\1,p' Sources/CSchema/schema.c) |
        sha256sum | cut -d ' ' -f 1)
    if grep -q "$checksum" "$header"; then
        echo "the definitions have not changed"
        return
    fi
    revision=$(($(sed -n 's/^#define DEFINITIONS_REVISION //p' "$header") + 1))
    cat >"$header" <<HEADER
#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// $checksum
#define DEFINITIONS_REVISION $revision
HEADER
    echo "the definitions have the number $revision"
}

main
