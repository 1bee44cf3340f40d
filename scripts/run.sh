#!/usr/bin/env bash
# Sets up, builds, and serves with a private PostgreSQL cluster until Ctrl-C; see `say_what_to_try`.
# With DATABASE_URL set, that database is used and no cluster is started. State lies under .local.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

readonly state=.local
readonly cluster=$state/postgres
readonly url_file=$state/database-url
readonly token_file=$state/admin-token
# How long the server may take to answer what it has accepted.
readonly drain_seconds=35

watcher='' cluster_started='' url_written='' serving='' token_shown=''

# setting NAME DEFAULT: as the server will see it: the environment, then .env in this folder.
setting() {
    local value=${!1:-}
    if [[ -z $value && -r .env ]]; then
        value=$(sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*//p" .env | tail -n 1)
        value=${value%"${value##*[![:space:]]}"}
        if [[ $value =~ ^\"(.*)\"$ || $value =~ ^\'(.*)\'$ ]]; then value=${BASH_REMATCH[1]}; fi
    fi
    printf '%s' "${value:-$2}"
}

# ---- stopping --------------------------------------------------------------------------------------------------

on_signal() { exit $((128 + $(kill -l "$1"))); }

# The server first, so that it can store what it has accepted; then the database.
finish() {
    local code=$?
    # Nobody interrupts this, and a closed terminal or pipe does not end it.
    trap '' INT TERM HUP PIPE
    set +e
    if [[ $child ]]; then
        if [[ $serving ]]; then say "" "Stopping." 2>/dev/null; fi
        stop_child
        # Told to stop, and stopped: that is success. So is dying of the TERM before being able to handle it.
        local ended=$?
        if [[ $serving ]]; then code=$((ended == 143 ? 0 : ended)); fi
    fi
    if [[ $cluster_started ]]; then scripts/postgres.sh stop "$cluster" || code=1; fi
    if [[ $url_written ]]; then rm -f "$url_file"; fi
    if [[ $watcher ]]; then kill "$watcher" 2>/dev/null; fi
    exit "$code"
}

stop_child() {
    # SwiftPM cancels its compilers on INT, the server drains on TERM.
    if [[ $serving ]]; then end_child TERM "$drain_seconds"; else end_child INT 10; fi
}

# Of a terminal that closes, the kernel tells only the first process there. Where that is make (`ssh -t … make run`),
# it waits for us in silence; so we look ourselves.
watch_terminal() {
    if [[ ! -t 0 ]]; then return; fi
    (
        close_inherited
        while kill -0 $$ 2>/dev/null; do
            [[ -t 0 ]] || kill -s HUP $$
            sleep 1
        done
    ) <&0 >/dev/null 2>&1 &
    watcher=$!
}

# ---- preparing -------------------------------------------------------------------------------------------------

one_at_a_time() {
    mkdir -p "$state"
    [[ -w $state ]] || die "$PWD/$state belongs to the user $(stat -c %U "$state")"
    exec {lock}>>"$state/lock"
    flock -n "$lock" || die "another \`make run\` is at work in this checkout; stop it first"
}

build() {
    supervised swift build -c release --product PostbackServer
    supervised swift build -c release --product adsign
    programs=$(swift build -c release --show-bin-path </dev/null)
    # Nicer to read and to paste.
    programs=${programs#"$PWD/"}
}

# write_secret FILE TEXT
write_secret() {
    (umask 077 && say "$2" >"$1.new")
    mv -- "$1.new" "$1"
}

prepare_database() {
    DATABASE_URL=$(setting DATABASE_URL '')
    if [[ -z $DATABASE_URL ]]; then
        cluster_started=yes
        DATABASE_URL=$(scripts/postgres.sh start "$cluster")
    fi
    export DATABASE_URL
    url_written=yes
    write_secret "$url_file" "$DATABASE_URL"
}

prepare_keyring() {
    KEYRING_PATH=$(setting KEYRING_PATH keys)
    export KEYRING_PATH
    scripts/demo-keyring.sh "$KEYRING_PATH" "$programs/adsign"
}

prepare_token() {
    ADMIN_TOKEN=$(setting ADMIN_TOKEN '')
    if [[ -z $ADMIN_TOKEN ]]; then
        if [[ ! -s $token_file ]]; then
            write_secret "$token_file" "$(od -An -N32 -v -tx1 /dev/urandom | tr -d ' \n')"
        fi
        ADMIN_TOKEN=$(<"$token_file")
        token_shown="\$(cat $token_file)"
    fi
    export ADMIN_TOKEN
}

# ---- serving ---------------------------------------------------------------------------------------------------

say_what_to_try() {
    local public admin
    public=http://$(setting HTTP_HOST 127.0.0.1):$(setting HTTP_PORT 8080)
    admin=http://$(setting ADMIN_HOST 127.0.0.1):$(setting ADMIN_PORT 8081)
    say "" "Public listener $public, admin listener $admin; Ctrl-C stops everything."
    if [[ $token_shown ]]; then say "Admin token (kept in $token_file): $ADMIN_TOKEN"; fi
    say "Try, in another terminal, in this folder:" ""
    if [[ -e $KEYRING_PATH/example123.pem ]]; then
        say "# sign an impression" \
            "$programs/adsign sign --ad-network-id example123.skadnetwork --source-identifier 5239 \\" \
            "    --itunes-item-id 525463029 --source-app-id 1234567891 --fidelity-type 1 --key $KEYRING_PATH/example123.pem" \
            ""
    fi
    say "# receive the postback of Apple's documentation: accepted once, a duplicate from then on" \
        "curl -i $public/.well-known/skadnetwork/report-attribution/ \\" \
        "    -H 'Content-Type: application/json' --data-binary @examples/skan-2.0-postback.json" "" \
        "# look at the counts" \
        "psql \"\$(cat $url_file)\" -c 'SELECT * FROM attribution.report_campaign_daily'" \
        "curl -H \"Authorization: Bearer ${token_shown:-\$ADMIN_TOKEN}\" '$admin/v1/reports/campaigns'" ""
}

main() {
    local signal_name
    for signal_name in INT TERM HUP PIPE; do
        # shellcheck disable=SC2064
        trap "on_signal $signal_name" "$signal_name"
    done
    trap finish EXIT
    one_at_a_time
    watch_terminal
    # Not `supervised`: sudo may have to ask at the terminal, and nobody should interrupt dpkg.
    scripts/setup.sh {lock}>&-
    build
    prepare_database
    prepare_keyring
    prepare_token
    supervised "$programs/PostbackServer" migrate
    say_what_to_try
    serving=yes
    supervised "$programs/PostbackServer" serve
}

main
