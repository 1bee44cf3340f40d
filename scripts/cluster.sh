#!/usr/bin/env bash
# A private Citus cluster for tests: a coordinator and two workers, each a cluster of postgres.sh without a network port.
#
#   cluster.sh start DIR      starts all three, makes them first if need be, prints their URLs, the coordinator's first
#   cluster.sh destroy DIR    stops them and removes all of their data
#   cluster.sh installed      exit code 0 if Citus is installed for the PostgreSQL that postgres.sh uses, 3 if not
#
# With CLUSTER_SETTINGS set, `start` adds these lines to the settings of nodes that it makes.
#
# The nodes lie in DIR/coordinator, DIR/worker-1 and DIR/worker-2. A node is known to the others by the folder of its
# socket. It keeps this folder if it is killed and started again, but not if it is stopped.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly postgres=${BASH_SOURCE[0]%/*}/postgres.sh

installed() {
    local bin
    bin=$(postgres_bin) && [[ -e $bin/../lib/citus.so || -e $bin/../lib/postgresql/citus.so ]]
}

# Small and many: a node of a test has little to do, and each database takes a maintenance process and connections
# between all nodes.
settings() {
    cat <<'SETTINGS'
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 300
max_prepared_transactions = 300
max_worker_processes = 64
shared_buffers = 128MB
fsync = off
citus.max_cached_conns_per_worker = 4
citus.enable_statistics_collection = off
citus.show_shards_for_app_name_prefixes = '*'
SETTINGS
    # New minor versions of PostgreSQL load no other output plugins than these; a split of a shard uses Citus's own.
    if "$(postgres_bin)/postgres" --describe-config | grep '^output_plugin_libraries' >/dev/null; then
        say "output_plugin_libraries = 'pgoutput, citus'"
    fi
    say "${CLUSTER_SETTINGS:-}"
}

nodes() { say "$state/coordinator" "$state/worker-1" "$state/worker-2"; }

# name URL: tells a node the name that it has for the others. Each line of its log names the database and the SQLSTATE,
# so that a test can look for the errors of its own.
name() {
    local bin folder=${1#*host=}
    bin=$(postgres_bin)
    "$bin/psql" -X -q "$1" -c "ALTER SYSTEM SET citus.local_hostname = '${folder%%&*}'" \
        -c "ALTER SYSTEM SET log_line_prefix = '%m [%p] %d %e '" -c 'SELECT pg_reload_conf()' >/dev/null
}

start() {
    local node url
    installed || die "Citus is not installed for this PostgreSQL"
    mkdir -p -- "$state"
    while read -r node; do
        url=$(POSTGRES_SETTINGS=$(settings) "$postgres" start "$node")
        name "$url"
        say "$url"
    done < <(nodes)
}

destroy() {
    local node
    while read -r node; do "$postgres" destroy "$node"; done < <(nodes)
    rm -rf "$state"
}

main() {
    if [[ $# == 1 && $1 == installed ]]; then
        installed || exit 3
        exit 0
    fi
    [[ $# == 2 && $2 ]] || die "usage: cluster.sh start|destroy DIR, cluster.sh installed"
    state=$(realpath -m -- "$2")
    case $1 in start | destroy) "$1" ;; *) die "no such command: $1" ;; esac
}

main "$@"
