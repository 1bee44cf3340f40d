#!/usr/bin/env bash
# Sets up, builds, and serves with a private PostgreSQL cluster until Ctrl-C. With DATABASE_URL set, that database is
# used and no cluster is started. State lies under .local. In our own cluster the server has the role attribution_serve.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

serving='' own_cluster=''

# The server first, so that it can store what it has accepted; then the database. Nobody interrupts this.
finish() {
    local code=$?
    trap '' INT TERM HUP PIPE
    set +e
    if [[ $serving && $child ]]; then
        stop_server
        code=$?
    fi
    end_child INT 10
    if [[ $own_cluster ]]; then scripts/postgres.sh stop .local/postgres || code=1; fi
    rm -f .local/database-url
    exit "$code"
}

# setting NAME DEFAULT: as the server will see it: the environment, then .env in this folder.
setting() {
    local value=${!1:-}
    if [[ ! $value && -r .env ]]; then value=$(sed -n "s/^ *$1 *= *[\"']\?\([^\"']*\)[\"']\? *$/\1/p" .env | tail -n 1); fi
    say "${value:-$2}"
}

# scheme CERTIFICATE: of a listener with this setting for its certificate.
scheme() { if [[ $(setting "$1" '') ]]; then say https; else say http; fi; }

# secret FILE TEXT: for this user only.
secret() { (umask 077 && say "$2" >"$1.new" && mv -- "$1.new" "$1"); }

main() {
    local programs
    lock .local/run.lock "another \`make run\` is at work in this checkout; stop it first"
    stop_on_signals
    trap finish EXIT
    scripts/setup.sh 9>&-
    build_programs -c release
    DATABASE_URL=$(setting DATABASE_URL '') KEYRING_PATH=$(setting KEYRING_PATH keys)
    if [[ ! $DATABASE_URL ]]; then
        own_cluster=$(scripts/postgres.sh start .local/postgres 9>&-)
        DATABASE_URL=$(role_url "$own_cluster" attribution_serve)
    fi
    [[ -s .local/admin-token ]] || secret .local/admin-token "$(openssl rand -hex 32)"
    ADMIN_TOKEN=$(setting ADMIN_TOKEN "$(<.local/admin-token)")
    export DATABASE_URL KEYRING_PATH ADMIN_TOKEN
    secret .local/database-url "$DATABASE_URL"
    scripts/demo-keyring.sh "$KEYRING_PATH" "$programs/adsign"
    if [[ $own_cluster ]]; then
        migrate_as_owner "$own_cluster" "$programs"
    else
        supervised "$programs/PostbackServer" migrate
    fi
    say "" "Public listener $(scheme TLS_CERTIFICATE_PATH)://$(setting HTTP_HOST 127.0.0.1):$(setting HTTP_PORT 8080)," \
        "admin listener $(scheme ADMIN_TLS_CERTIFICATE_PATH)://$(setting ADMIN_HOST 127.0.0.1):$(setting ADMIN_PORT 8081)." \
        "Ctrl-C stops everything." \
        "README.md says what to try. The admin token is in .local/admin-token." ""
    serving=yes
    supervised "$programs/PostbackServer" serve
}

main
