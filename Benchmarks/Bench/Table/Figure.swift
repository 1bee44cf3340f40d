/// What a figure must reach.
enum Bound: Equatable {
    /// The median of its ratios to the baseline beside it.
    case ratioAtLeast(Double)
    case ratioAtMost(Double)
    /// The median of its values.
    case valueAtLeast(Double)
    case valueAtMost(Double)
}

/// The figures that have bounds, by the names under which they are recorded.
enum Figure {
    static let bounds: [String: Bound] = [
        "sign_batch_1core": .ratioAtLeast(0.9),
        "sign_batch_2cores": .ratioAtLeast(0.9),
        "verify_2.0_single": .ratioAtLeast(25),
        "verify_2.0_batch": .ratioAtLeast(35),
        "verify_4.0_single": .ratioAtLeast(5),
        "verify_4.0_batch": .ratioAtLeast(7),
        "verify_aak_single": .ratioAtLeast(4.5),
        "verify_2.0_single_commit": .ratioAtLeast(0.97),
        "verify_2.0_batch_commit": .ratioAtLeast(0.97),
        "verify_4.0_single_commit": .ratioAtLeast(0.97),
        "verify_4.0_batch_commit": .ratioAtLeast(0.97),
        "verify_aak_single_commit": .ratioAtLeast(0.97),
        "verify_aak_batch_commit": .ratioAtLeast(0.97),
        "parse_2.0": .ratioAtLeast(5),
        "parse_4.0": .ratioAtLeast(5),
        "store_empty": .ratioAtLeast(1.15),
        "store_10m": .ratioAtLeast(1.4),
        "cpu_row_batch_30": .ratioAtMost(0.8),
        "http_2.0_64": .ratioAtLeast(0.4),
        "http_2.0_256": .ratioAtLeast(0.45),
        "http_4.0_64": .ratioAtLeast(0.4),
        "http_4.0_256": .ratioAtLeast(0.45),
        "http_4.0_64_cpu": .ratioAtMost(0.65),
        "http_4.0_256_cpu": .ratioAtMost(0.65),
        "http_4.0_p99_at_70": .valueAtMost(50),
        "http_peak_rss": .valueAtMost(150),
        "import_4.0": .ratioAtLeast(1.2),
        "report_campaign_daily_month_ms": .valueAtMost(20),
        "report_conversion_value_daily_app_ms": .valueAtMost(100),
        "report_conversion_value_all_ms": .valueAtMost(1_000),
        "report_source_identifier_daily_app_ms": .valueAtMost(100),
        "report_source_identifier_all_ms": .valueAtMost(1_000),
        "bytes_state": .ratioAtMost(0.3),
        "bytes_body": .ratioAtMost(0.9),
        "bytes_log": .ratioAtMost(0.15),
        "snapshot_store": .ratioAtLeast(0.9),
        "snapshot_store_last_tenth": .ratioAtLeast(0.9),
        "impressions_p99_ms": .valueAtMost(5),
        "cluster_2_lanes_cpu_row_batch_30": .ratioAtMost(1.25),
        "cluster_2_lanes_cpu_row_batch_500": .ratioAtMost(1.25),
        "cluster_2_lanes_http_4.0_256": .ratioAtLeast(0.7),
        "cardinality_http_cold": .ratioAtLeast(0.75),
        "cardinality_http_warm": .ratioAtLeast(0.9),
        "cardinality_http_restart": .ratioAtLeast(0.85),
        "cardinality_import_cold": .ratioAtLeast(0.8),
        "cardinality_import_warm": .ratioAtLeast(0.8),
        "cardinality_fold_cold_cpu": .ratioAtMost(1.3),
        "cardinality_fold_warm_cpu": .ratioAtMost(1.3),
        "export": .ratioAtLeast(0.3),
        "export_peak_rss": .valueAtMost(150),
        "export_rss_growth": .ratioAtMost(1.2),
        "forward_1500_rate": .ratioAtLeast(0.95),
        "forward_1500_p99_ms": .valueAtMost(1_000),
        "forward_1500_counting_p99_ms": .ratioAtMost(1.5),
        "forward_full_counting": .ratioAtLeast(0.9),
        "forward_backlog": .valueAtLeast(3_000),
        "forward_hanging_p99_ms": .valueAtMost(2_000),
        "forward_hanging_peak_rss": .valueAtMost(150),
    ]
}
