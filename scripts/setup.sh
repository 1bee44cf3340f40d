#!/usr/bin/env bash
# setup.sh [PROGRAM]…: installs what the build, the server and the tests need and the machine lacks, and the Debian
# packages of these programs, named like them; says and does nothing if all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly common_conf=/etc/postgresql-common/createcluster.conf
readonly drop_in=/etc/postgresql-common/createcluster.d/adattribution-setup.conf

has() { command -v "$1" >/dev/null; }

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# has_library PACKAGE MODULE: SwiftPM asks pkg-config for it, so that is what counts.
has_library() {
    if has pkg-config; then pkg-config --exists "$2"; else is_installed "$1"; fi
}

# missing_packages [PROGRAM]…: prints the Debian packages that are missing, in one line.
missing_packages() {
    local program missing=()
    has pkg-config || missing+=(pkg-config)
    has_library libssl-dev openssl || missing+=(libssl-dev)
    has_library libpq-dev libpq || missing+=(libpq-dev)
    has openssl || missing+=(openssl)
    has curl || missing+=(curl)
    # SwiftPM fetches the dependencies with git, over https.
    has git || missing+=(git)
    [[ -e /etc/ssl/certs/ca-certificates.crt ]] || missing+=(ca-certificates)
    postgres_bin '' >/dev/null || missing+=(postgresql)
    for program in "$@"; do has "$program" || missing+=("$program"); done
    printf '%s' "${missing[*]}"
}

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

remove_drop_in() { as_root rm -f "$drop_in"; }

# A new postgresql package creates a cluster and starts it, on a network port, unless postgresql-common says no
# beforehand. It is told so in a file of ours that goes again: the machine's own settings stay as they are.
install_postgresql() {
    is_installed postgresql-common || apt install --no-install-recommends postgresql-common
    trap remove_drop_in EXIT
    as_root mkdir -p "${drop_in%/*}"
    as_root tee "$drop_in" <<<"create_main_cluster = off" >/dev/null
    [[ $(pg_conftool "$common_conf" show -bs create_main_cluster) == off ]] ||
        die "$common_conf has PostgreSQL make a cluster on installation; install the package postgresql yourself"
    apt install --no-install-recommends postgresql
    remove_drop_in
    trap - EXIT
}

install_missing() {
    local package others=()
    has apt-get || die "please install: $*"
    ((EUID == 0)) || has sudo || die "please install, as root (there is no sudo here): $*"
    say "Installing: $*"
    # One unreachable third-party source must not stop us: the installation below fails if it matters.
    apt update || say "apt-get update failed; trying on with the package lists at hand" >&2
    for package in "$@"; do [[ $package == postgresql ]] || others+=("$package"); done
    if ((${#others[@]})); then apt install --no-install-recommends "${others[@]}"; fi
    if [[ " $* " == *" postgresql "* ]]; then install_postgresql; fi
}

main() {
    local missing still
    has swift || die "no swift on the PATH: install the toolchain first, see https://www.swift.org/install/linux/"
    read -r -a missing <<<"$(missing_packages "$@")"
    ((${#missing[@]})) || return 0
    install_missing "${missing[@]}"
    still=$(missing_packages "$@")
    [[ -z $still ]] || die "still missing after the installation (PostgreSQL: $oldest_postgres or later): $still"
}

main "$@"
