/// What each of the service's metrics means, as `/metrics` tells it.
package enum MetricHelp {
    package static let texts = [
        "adattribution_build_info": "1; the label says which version of the server this is.",
        "adattribution_certificate_expiry_timestamp_seconds":
            "When the first certificate of the listener's chain expires, in seconds since 1970.",
        "adattribution_token_expiry_timestamp_seconds":
            "When a valid token of tokens.json ends, in seconds since 1970, by its name and the first digits of its digest.",
        "adattribution_standbys": "Standbys that are connected to the database that takes writes.",
        "adattribution_standbys_hidden": "Of these the ones whose lag the server's role may not see.",
        "adattribution_standby_lag_bytes": "WAL that the standby has not replayed yet.",
        "adattribution_standby_lag_seconds":
            "How long ago was written what the standby replayed last; 0 if it is idle.",
        "adattribution_metrics_series_dropped_total":
            "Requests for a metric that the cap or the type of its family refused.",
        "process_cpu_seconds_total": "Processor time of the process, of user and system, in seconds.",
        "process_resident_memory_bytes": "Memory of the process that is in RAM.",
        "process_virtual_memory_bytes": "Virtual memory of the process.",
        "process_open_fds": "File descriptors that are open.",
        "process_max_fds": "File descriptors that may be open.",
        "process_start_time_seconds": "When the process began, in seconds since 1970.",
        "adattribution_postbacks_total": "Postback requests by outcome.",
        "adattribution_app_store_notifications_total":
            "Notifications of the App Store by version and outcome; the version is unknown if nothing was verified.",
        "adattribution_app_store_notification_duration_seconds":
            "From a complete notification of the App Store to its answer.",
        "adattribution_app_store_notification_verify_seconds":
            "Reading one notification of the App Store and verifying all that is signed in it.",
        "adattribution_app_store_commit_duration_seconds":
            "One batch of notifications of the App Store, from BEGIN to durable.",
        "adattribution_app_store_commit_batch_notifications": "Notifications of the App Store in one batch.",
        "adattribution_app_store_queue_notifications":
            "Notifications of the App Store and refused ones that wait for a batch.",
        "adattribution_app_store_unknown_types_total":
            "Notifications of the App Store whose type this version does not know; they are stored like all others.",
        "adattribution_app_store_unknown_members_total":
            "Members of notifications of the App Store that this version does not know; the body has them.",
        "adattribution_app_store_refunds_without_transaction_total":
            "Refunds of version 1 that do not list what was refunded; they are stored, and count nothing.",
        "adattribution_app_store_body_bytes":
            "Bytes of bodies of notifications of the App Store in memory; APP_STORE_BODY_BYTES bounds them.",
        "adattribution_apple_ads_tokens_total":
            "Requests of this server to exchange a token of Apple Ads, by outcome; later is one that is sent again.",
        "adattribution_apple_ads_waiting": "Tokens of Apple Ads that wait to be exchanged.",
        "adattribution_apple_ads_oldest_waiting_seconds":
            "Age of the oldest token of Apple Ads that waits; 0 if none does.",
        "adattribution_postback_conflicts_total":
            "Deliveries whose conversion value contradicts the stored one and was ignored.",
        "adattribution_postback_duration_seconds": "From a complete postback request to its answer.",
        "adattribution_postback_verify_seconds": "Verification of one postback's signature.",
        "adattribution_commit_duration_seconds": "One batch of postbacks, from BEGIN to durable.",
        "adattribution_commit_batch_postbacks": "Postbacks in one batch.",
        "adattribution_commits_not_replicated_total":
            "Batches that were committed while somebody cancelled the wait for the standby; they were not acknowledged.",
        "adattribution_cluster_batches_total":
            "Batches written on a Citus cluster by the node of their lane: directly, or through the coordinator.",
        "adattribution_files_refused":
            "1 if changed files of the key ring, the tokens or a certificate can't be used.",
        "adattribution_lanes_unavailable": "Lanes of a node of a Citus cluster whose postbacks can't be counted now.",
        "adattribution_ingest_queue_postbacks": "Postbacks waiting for a batch.",
        "adattribution_impressions_signed_total": "Impressions signed by the service.",
        "adattribution_database_connections": "Connections to PostgreSQL by state.",
        "adattribution_http_connections": "Connections of clients; verified ones have delivered a verified postback.",
        "adattribution_http_connections_closed_total": "Connections of clients that the server closed, by reason.",
        "adattribution_quarantine_rows": "Rows of the quarantine.",
        "adattribution_sign_in_failures_total":
            "Wrong tokens, by the way in which they came: a header, or the form of the page.",
        "adattribution_tls_handshakes_failed_total":
            "Connections that were closed before their TLS handshake was complete.",
        "adattribution_proxy_headers_refused_total":
            "Connections that were closed for want of a good header of a trusted proxy.",
        "adattribution_log_lines_dropped_total": "Lines that the program's own log lost because nobody read it.",
        "adattribution_partitions_dropped_total":
            "Days of bodies or of the log that this server dropped after their retention.",
        "adattribution_partitions_held": "Days past their retention that readers of the log need.",
        "adattribution_oldest_day_timestamp_seconds":
            "Beginning of the oldest day of bodies or of the log, in seconds since 1970.",
        "adattribution_log_problems":
            "Deliveries whose event, body or row of state is missing or doubled, on days that were compared.",
        "adattribution_log_checked_timestamp_seconds":
            "When the lane was compared that was compared longest ago, in seconds since 1970.",
        "adattribution_recount_differences":
            "Figures that differed from the postbacks at the last recount of this database.",
        "adattribution_recount_timestamp_seconds":
            "When the last recount of this database began, in seconds since 1970; 0 if there was none.",
        "adattribution_recount_duration_seconds": "How long the last recount of this database took.",
        "adattribution_log_readers_dropped_total":
            "Readers of the log that this server dropped because they kept a day for too long.",
        "adattribution_log_reader_lag_seconds":
            "Age of the oldest event of the log that the reader has not read; 0 if it has read all.",
        "adattribution_forward_deliveries_total":
            "Attempts that this server made for a destination, by outcome; dead is one that is not tried again.",
        "adattribution_forward_lag_seconds":
            "Age of the oldest event of the log that was not sent to the destination yet; 0 if all were.",
        "adattribution_forward_waiting": "Deliveries to the destination that failed and are tried again later.",
        "adattribution_forward_dead": "Deliveries to the destination that are not tried again, and are kept.",
        "adattribution_forward_attempt_seconds": "One attempt, from its start to the end of the answer or its failure.",
        "adattribution_forward_state": "1 for the state that the destination is in: active, paused or off.",
        "adattribution_forward_breaker_open":
            "1 if 20 attempts in a row failed, so that one probe a minute is sent.",
    ]
}
