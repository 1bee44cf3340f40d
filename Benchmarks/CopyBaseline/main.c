// The store's baseline, by hand: binary COPY into a temporary table, then one statement that inserts the postbacks that
// are new and adds them to the three aggregates. It knows no raises and no conflicts, and it encodes nothing: the rows
// lie in a file as COPY tuples already.
//
//   copy-baseline URL FILE CONNECTIONS BATCH
//
// FILE holds one row after the other: its length as uint32 (this machine's byte order), then the tuple without it.
// Prints the rows a second.
#include <fcntl.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *url;
static const char *bytes;
static size_t *starts;
static size_t row_count;
static size_t batch_size;
static size_t next_row;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define COLUMNS                                                                                                        \
    "transaction_id, environment, protocol, ad_network_id, sequence_index, did_win, version, campaign_type, campaign," \
    " advertised_app_id, source_app_id, source_domain, redownload, conversion_type, fidelity_type,"                    \
    " ad_interaction_type, marketplace_identifier, conversion_value, coarse_value, country_code, received_at,"         \
    " developer_copy, relay_normalised, signing_key, payload"
#define CAMPAIGN                                                                                                       \
    "environment, developer_copy, ad_network_id, day, protocol, campaign_type, campaign, advertised_app_id"
#define COUNTERS                                                                                                       \
    "installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum, raised,"         \
    " conflicts, later_windows"
#define SUMS                                                                                                           \
    "count(*) FILTER (WHERE first_win AND kind = 'download'), count(*) FILTER (WHERE first_win AND kind = "            \
    "'redownload'), count(*) FILTER (WHERE first_win AND kind = 're-engagement'), count(*) FILTER (WHERE NOT "         \
    "did_win), count(*) FILTER (WHERE first_win AND conversion_value IS NOT NULL), count(*) FILTER (WHERE first_win "  \
    "AND coarse_value IS NOT NULL), count(*) FILTER (WHERE first_win AND conversion_value IS NULL AND coarse_value "   \
    "IS NULL), coalesce(sum(conversion_value) FILTER (WHERE first_win), 0), 0, 0, count(*) FILTER (WHERE "             \
    "sequence_index > 0)"
#define ADD(counter) #counter " = stored." #counter " + excluded." #counter
#define ADD_COUNTERS                                                                                                   \
    ADD(installs) ", " ADD(redownloads) ", " ADD(reengagements) ", " ADD(assists) ", " ADD(value_known) ", " ADD(      \
        value_coarse) ", " ADD(value_null) ", " ADD(value_sum) ", " ADD(raised) ", " ADD(conflicts) ", " ADD(          \
        later_windows)

static const char create[] =
    "CREATE TEMPORARY TABLE delivery ON COMMIT DELETE ROWS AS SELECT " COLUMNS " FROM attribution.postback LIMIT 0";
static const char copy[] = "COPY delivery (" COLUMNS ") FROM STDIN (FORMAT binary)";
static const char count[] =
    "WITH inserted AS ("
    "  INSERT INTO attribution.postback (" COLUMNS ", first_conversion_value, first_coarse_value)"
    "  SELECT " COLUMNS ", conversion_value, coarse_value FROM delivery"
    "   ORDER BY transaction_id, environment, protocol, ad_network_id, sequence_index, did_win"
    "  ON CONFLICT (transaction_id, environment, protocol, ad_network_id, sequence_index, did_win) DO NOTHING"
    "  RETURNING (received_at AT TIME ZONE 'UTC')::date AS day, environment, developer_copy, protocol, ad_network_id,"
    "    campaign_type, campaign, advertised_app_id, coalesce(source_app_id::text, source_domain, '') AS source_app,"
    "    sequence_index, did_win, conversion_value, coarse_value, did_win AND sequence_index = 0 AS first_win,"
    "    coalesce(conversion_type, CASE WHEN redownload THEN 'redownload' ELSE 'download' END) AS kind),"
    " campaigns AS ("
    "  INSERT INTO attribution.campaign_daily_base AS stored (" CAMPAIGN ", " COUNTERS ")"
    "  SELECT " CAMPAIGN ", " SUMS " FROM inserted GROUP BY " CAMPAIGN
    "   ORDER BY day, advertised_app_id, campaign, ad_network_id, environment, developer_copy, protocol, campaign_type"
    "  ON CONFLICT (" CAMPAIGN ") DO UPDATE SET " ADD_COUNTERS "),"
    " source_apps AS ("
    "  INSERT INTO attribution.source_app_daily_base AS stored (" CAMPAIGN ", source_app, " COUNTERS ")"
    "  SELECT " CAMPAIGN ", source_app, " SUMS " FROM inserted GROUP BY " CAMPAIGN ", source_app"
    "   ORDER BY day, advertised_app_id, campaign, ad_network_id, environment, developer_copy, protocol,"
    "     campaign_type, source_app"
    "  ON CONFLICT (" CAMPAIGN ", source_app) DO UPDATE SET " ADD_COUNTERS ")"
    " INSERT INTO attribution.conversion_value_daily_base AS stored"
    "  (" CAMPAIGN ", sequence_index, did_win, conversion_value, coarse_value, postbacks)"
    " SELECT " CAMPAIGN ", sequence_index, did_win, coalesce(conversion_value, -1), coalesce(coarse_value, ''), count(*)"
    "  FROM inserted GROUP BY " CAMPAIGN ", sequence_index, did_win, conversion_value, coarse_value"
    "  ORDER BY day, advertised_app_id, campaign, ad_network_id, environment, developer_copy, protocol, campaign_type,"
    "    sequence_index, did_win, coalesce(conversion_value, -1), coalesce(coarse_value, '')"
    " ON CONFLICT (" CAMPAIGN ", sequence_index, did_win, conversion_value, coarse_value)"
    " DO UPDATE SET " ADD(postbacks);

static void fail(const char *what, PGconn *connection) {
    fprintf(stderr, "copy-baseline: %s: %s\n", what, connection ? PQerrorMessage(connection) : "");
    exit(1);
}

static void expect(PGconn *connection, PGresult *result, ExecStatusType status) {
    if (PQresultStatus(result) != status) fail("statement failed", connection);
    PQclear(result);
}

static void run(PGconn *connection, const char *sql) { expect(connection, PQexec(connection, sql), PGRES_COMMAND_OK); }

static int take(size_t *first, size_t *end) {
    pthread_mutex_lock(&lock);
    *first = next_row;
    *end = next_row + batch_size < row_count ? next_row + batch_size : row_count;
    next_row = *end;
    pthread_mutex_unlock(&lock);
    return *first < *end;
}

static void *work(void *unused) {
    PGconn *connection = PQconnectdb(url);
    if (PQstatus(connection) != CONNECTION_OK) fail("no connection", connection);
    run(connection, "SET synchronous_commit = on");
    run(connection, create);
    expect(connection, PQprepare(connection, "count", count, 0, NULL), PGRES_COMMAND_OK);
    static const char header[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
    size_t first, end;
    while (take(&first, &end)) {
        run(connection, "BEGIN");
        expect(connection, PQexec(connection, copy), PGRES_COPY_IN);
        PQputCopyData(connection, header, 19);
        for (size_t row = first; row < end; row++) {
            size_t start = starts[row];
            uint32_t length;
            memcpy(&length, bytes + start, 4);
            PQputCopyData(connection, bytes + start + 4, (int)length);
        }
        PQputCopyData(connection, "\377\377", 2);
        if (PQputCopyEnd(connection, NULL) != 1) fail("copy", connection);
        expect(connection, PQgetResult(connection), PGRES_COMMAND_OK);
        while (PQgetResult(connection)) continue;
        expect(connection, PQexecPrepared(connection, "count", 0, NULL, NULL, NULL, 1), PGRES_COMMAND_OK);
        run(connection, "COMMIT");
    }
    PQfinish(connection);
    return unused;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 5) {
        fprintf(stderr, "usage: copy-baseline URL FILE CONNECTIONS BATCH\n");
        return 64;
    }
    url = arguments[1];
    int connections = atoi(arguments[3]);
    batch_size = (size_t)atoi(arguments[4]);
    int file = open(arguments[2], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0 || connections < 1 || connections > 64 || batch_size < 1)
        fail("bad argument", NULL);
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail("no memory", NULL);
    for (size_t offset = 0; offset < (size_t)status.st_size; row_count++) {
        if (row_count % 4096 == 0) starts = realloc(starts, (row_count + 4096) * sizeof *starts);
        starts[row_count] = offset;
        uint32_t length;
        memcpy(&length, bytes + offset, 4);
        offset += 4 + length;
    }
    struct timespec begin, done;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pthread_t threads[64];
    for (int index = 0; index < connections; index++) pthread_create(&threads[index], NULL, work, NULL);
    for (int index = 0; index < connections; index++) pthread_join(threads[index], NULL);
    clock_gettime(CLOCK_MONOTONIC, &done);
    double seconds = (double)(done.tv_sec - begin.tv_sec) + 1e-9 * (double)(done.tv_nsec - begin.tv_nsec);
    printf("%.0f\n", (double)row_count / seconds);
    return 0;
}
