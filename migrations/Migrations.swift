/// The SQL files of this folder, embedded in the program.
///
/// A new file needs a line here and one in `Package.swift`. SwiftPM puts an underscore in place of the first digit.
public enum EmbeddedMigrations {
    /// Names without their ending, and texts, in the order in which they are applied.
    public static let files: [(name: String, script: [UInt8])] = [
        ("0001_dimensions", PackageResources._001_dimensions_sql),
        ("0002_postback", PackageResources._002_postback_sql),
        ("0003_figures", PackageResources._003_figures_sql),
        ("0004_reports", PackageResources._004_reports_sql),
        ("0005_quarantine", PackageResources._005_quarantine_sql),
        ("0006_web_ad", PackageResources._006_web_ad_sql),
        ("0007_import_progress", PackageResources._007_import_progress_sql),
        ("0008_conversion_scheme", PackageResources._008_conversion_scheme_sql),
        ("0009_campaign_mapping", PackageResources._009_campaign_mapping_sql),
        ("0010_spend", PackageResources._010_spend_sql),
        ("0011_answers", PackageResources._011_answers_sql),
        ("0012_answer_figures", PackageResources._012_answer_figures_sql),
        ("0013_reconciliation", PackageResources._013_reconciliation_sql),
        ("0014_answer_reports", PackageResources._014_answer_reports_sql),
        ("0015_money", PackageResources._015_money_sql),
        ("0016_appsflyer", PackageResources._016_appsflyer_sql),
        ("0017_retention", PackageResources._017_retention_sql),
        ("0018_page_session", PackageResources._018_page_session_sql),
        ("0019_cluster", PackageResources._019_cluster_sql),
    ]
}
