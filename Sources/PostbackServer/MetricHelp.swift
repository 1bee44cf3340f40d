/// What each of the service's metrics means, as `/metrics` tells it.
enum MetricHelp {
    static let texts = [
        "postbacks_total": "Postback requests by outcome.",
        "postback_conflicts_total": "Deliveries whose conversion value contradicts the stored one and was ignored.",
        "postback_duration_seconds": "From a complete postback request to its answer.",
        "postback_verify_seconds": "Verification of one postback's signature.",
        "commit_duration_seconds": "One batch of postbacks, from BEGIN to durable.",
        "commit_batch_size": "Postbacks in one batch.",
        "commits_not_replicated_total":
            "Batches that were committed while somebody cancelled the wait for the standby; they were not acknowledged.",
        "cluster_batches_total":
            "Batches written on a Citus cluster by the node of their lane: directly, or through the coordinator.",
        "files_refused":
            "1 if changed files of the key ring, the tokens or a certificate can't be used.",
        "lanes_unavailable": "Lanes of a node of a Citus cluster whose postbacks can't be counted now.",
        "ingest_queue_depth": "Postbacks waiting for a batch.",
        "impressions_signed_total": "Impressions signed by the service.",
        "database_connections": "Connections to PostgreSQL by state.",
        "http_connections": "Connections of clients; verified ones have delivered a verified postback.",
        "http_connections_closed_total": "Connections of clients that the server closed, by reason.",
        "quarantine_rows": "Rows of the quarantine.",
        "admin_tokens_refused_total": "Wrong admin tokens, by the way in which they came.",
        "tls_handshakes_failed_total": "Connections that were closed before their TLS handshake was complete.",
        "proxy_headers_refused_total": "Connections that were closed for want of a good header of a trusted proxy.",
        "log_lines_dropped_total": "Lines that the program's own log lost because nobody read it.",
        "days_dropped_total": "Days of bodies or of the log that this server dropped after their retention.",
        "days_held": "Days past their retention that readers of the log need.",
        "oldest_day_seconds": "Beginning of the oldest day of bodies or of the log, in seconds since 1970.",
        "log_problems":
            "Deliveries whose event, body or row of state is missing or doubled, on days that were compared.",
        "log_checked_seconds":
            "When the lane was compared that was compared longest ago, in seconds since 1970.",
        "recount_differences": "Figures that differed from the postbacks at the last recount of this database.",
        "recount_seconds": "When the last recount of this database began, in seconds since 1970; 0 if there was none.",
        "recount_duration_seconds": "How long the last recount of this database took.",
        "log_readers_dropped_total":
            "Readers of the log that this server dropped because they kept a day for too long.",
        "log_reader_lag_seconds":
            "Age of the oldest event of the log that the reader has not read; 0 if it has read all.",
    ]
}
