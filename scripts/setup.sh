#!/usr/bin/env bash
# setup.sh [PROGRAM]…: installs what the build, the server and the tests need and the machine lacks. It also installs the
# Debian packages of these programs, named like them; softhsm2 brings OpenSSL's engine for it, and promtool is taken out of
# the package prometheus, whose server is not installed. It says and does nothing if all is there.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# missing_packages [PROGRAM]…: prints the Debian packages that are missing, in one line.
missing_packages() {
    local program missing=()
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    # SwiftPM asks pkg-config for libraries.
    pkg-config --exists openssl 2>/dev/null || missing+=(libssl-dev)
    pkg-config --exists libpq 2>/dev/null || missing+=(libpq-dev)
    # swift-nio-extras links it for gzip.
    pkg-config --exists zlib 2>/dev/null || missing+=(zlib1g-dev)
    [[ -e /etc/ssl/certs/ca-certificates.crt ]] || missing+=(ca-certificates)
    postgres_bin >/dev/null || missing+=(postgresql)
    # Debian has the part of Python that makes folders for packages in a package of its own.
    if [[ " $* " == *" python3 "* ]]; then python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv); fi
    for program in openssl curl git "$@"; do
        if [[ $program == softhsm2 ]]; then
            command -v softhsm2-util >/dev/null || missing+=(softhsm2)
            compgen -G '/usr/lib/*/engines-3/pkcs11.so' >/dev/null || missing+=(libengine-pkcs11-openssl)
        elif [[ $program == promtool ]]; then
            command -v promtool >/dev/null || missing+=(prometheus)
        else
            command -v "$program" >/dev/null || missing+=("$program")
        fi
    done
    say "${missing[*]}"
}

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

# A new postgresql package makes a cluster and starts it on a network port, unless postgresql-common says no beforehand.
# It is told so in a file of ours that goes again.
install_postgresql() {
    local drop_in=/etc/postgresql-common/createcluster.d/adattribution-setup.conf
    apt install --no-install-recommends postgresql-common
    # shellcheck disable=SC2064
    trap "as_root rm -f $drop_in" EXIT
    as_root mkdir -p "${drop_in%/*}"
    as_root tee "$drop_in" <<<"create_main_cluster = off" >/dev/null
    apt install --no-install-recommends postgresql
}

# The package of Prometheus would start a server and bring what its pages need; the tests need one program of it.
install_promtool() (
    local folder
    folder=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf $folder" EXIT
    # The user by whom apt downloads must be able to write here.
    chmod 755 "$folder"
    cd "$folder"
    apt-get -q download prometheus </dev/null
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar --extract --file=- ./usr/bin/promtool
    as_root install -m 755 usr/bin/promtool /usr/local/bin/promtool
)

main() {
    local missing
    command -v swift >/dev/null || die "no swift on the PATH: see https://www.swift.org/install/linux/"
    missing=$(missing_packages "$@")
    if [[ ! $missing ]]; then return; fi
    command -v apt-get >/dev/null || die "please install: $missing"
    ((EUID == 0)) || command -v sudo >/dev/null || die "please install, as root (there is no sudo here): $missing"
    say "Installing: $missing"
    # One unreachable third-party source must not stop us: the installation fails if it matters.
    apt update || say "apt-get update failed; trying on with the package lists at hand" >&2
    local packages=" $missing "
    packages=${packages// postgresql / }
    packages=${packages// prometheus / }
    # shellcheck disable=SC2086
    if [[ $packages != " " ]]; then apt install --no-install-recommends $packages; fi
    if [[ " $missing " == *" prometheus "* ]]; then install_promtool; fi
    if [[ " $missing " == *" postgresql "* ]]; then install_postgresql; fi
    missing=$(missing_packages "$@")
    [[ ! $missing ]] || die "still missing after the installation (PostgreSQL: $oldest_postgres or later): $missing"
}

main "$@"
