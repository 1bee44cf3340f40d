#!/usr/bin/env bash
# Takes a newer Public Suffix List into public-suffix-list/: that of publicsuffix.org, or the file that is named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../public-suffix-list"

new=$(mktemp) && trap 'rm -f "$new"' EXIT
if (($#)); then
    cp -- "$1" "$new"
else
    curl --fail --silent --show-error --max-time 60 -o "$new" https://publicsuffix.org/list/public_suffix_list.dat
fi
if ! grep -q '^// ===BEGIN ICANN DOMAINS===$' "$new" || ! grep -q '^// ===END PRIVATE DOMAINS===$' "$new"; then
    printf '%s\n' "this is not a whole Public Suffix List" >&2
    exit 1
fi
# publicsuffix.org writes the day into the file, as "// VERSION: 2026-01-31_12-34-56_UTC". Debian's file has its time.
day=$(sed -n 's|^// VERSION: \([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\)_.*|\1|p' "$new" | head -n 1)
day=${day:-$(date -u -r "${1:-$new}" +%F)}
cat -- "$new" >public_suffix_list.dat
printf '%s\n' "$day" >date
printf '%s\n' "the Public Suffix List of $day"
