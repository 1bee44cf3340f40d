#include "CSchema.h"

// As literals of Swift the files took a minute and a half to compile.

// A new migration needs three lines here.
static const struct embedded_sql migrations[] = {
    {"0001_dimensions", (const char[]){
#embed "../../migrations/0001_dimensions.sql" suffix(, 0)
    }},
    {"0002_postback", (const char[]){
#embed "../../migrations/0002_postback.sql" suffix(, 0)
    }},
    {"0003_figures", (const char[]){
#embed "../../migrations/0003_figures.sql" suffix(, 0)
    }},
    {"0004_quarantine", (const char[]){
#embed "../../migrations/0004_quarantine.sql" suffix(, 0)
    }},
    {"0005_service", (const char[]){
#embed "../../migrations/0005_service.sql" suffix(, 0)
    }},
    {"0006_conversion_scheme", (const char[]){
#embed "../../migrations/0006_conversion_scheme.sql" suffix(, 0)
    }},
    {"0007_answers", (const char[]){
#embed "../../migrations/0007_answers.sql" suffix(, 0)
    }},
    {"0008_campaign_data", (const char[]){
#embed "../../migrations/0008_campaign_data.sql" suffix(, 0)
    }},
    {"0009_reconciliation", (const char[]){
#embed "../../migrations/0009_reconciliation.sql" suffix(, 0)
    }},
    {"0010_operation", (const char[]){
#embed "../../migrations/0010_operation.sql" suffix(, 0)
    }},
    {"0011_forwarding", (const char[]){
#embed "../../migrations/0011_forwarding.sql" suffix(, 0)
    }},
    {"0012_app_store", (const char[]){
#embed "../../migrations/0012_app_store.sql" suffix(, 0)
    }},
    {"0013_app_store_answers", (const char[]){
#embed "../../migrations/0013_app_store_answers.sql" suffix(, 0)
    }},
    {"0014_apple_ads", (const char[]){
#embed "../../migrations/0014_apple_ads.sql" suffix(, 0)
    }},
    {"0015_app_store_additions", (const char[]){
#embed "../../migrations/0015_app_store_additions.sql" suffix(, 0)
    }},
    {"0016_replayed_deliveries", (const char[]){
#embed "../../migrations/0016_replayed_deliveries.sql" suffix(, 0)
    }},
    {"0017_apple_ads_tests", (const char[]){
#embed "../../migrations/0017_apple_ads_tests.sql" suffix(, 0)
    }},
    {"0018_two_digits", (const char[]){
#embed "../../migrations/0018_two_digits.sql" suffix(, 0)
    }},
};

// The order in which they are run: what a definition uses stands before it.
static const struct embedded_sql definitions[] = {
    {"days_and_lanes", (const char[]){
#embed "../../definitions/days_and_lanes.sql" suffix(, 0)
    }},
    {"log", (const char[]){
#embed "../../definitions/log.sql" suffix(, 0)
    }},
    {"postbacks", (const char[]){
#embed "../../definitions/postbacks.sql" suffix(, 0)
    }},
    {"report_columns", (const char[]){
#embed "../../definitions/report_columns.sql" suffix(, 0)
    }},
    {"make_families", (const char[]){
#embed "../../definitions/make_families.sql" suffix(, 0)
    }},
    {"report_families", (const char[]){
#embed "../../definitions/report_families.sql" suffix(, 0)
    }},
    {"figures", (const char[]){
#embed "../../definitions/figures.sql" suffix(, 0)
    }},
    {"figure_folding", (const char[]){
#embed "../../definitions/figure_folding.sql" suffix(, 0)
    }},
    {"campaign_mapping", (const char[]){
#embed "../../definitions/campaign_mapping.sql" suffix(, 0)
    }},
    {"currency", (const char[]){
#embed "../../definitions/currency.sql" suffix(, 0)
    }},
    {"schemes", (const char[]){
#embed "../../definitions/schemes.sql" suffix(, 0)
    }},
    {"answers", (const char[]){
#embed "../../definitions/answers.sql" suffix(, 0)
    }},
    {"answer_folding", (const char[]){
#embed "../../definitions/answer_folding.sql" suffix(, 0)
    }},
    {"answer_sums", (const char[]){
#embed "../../definitions/answer_sums.sql" suffix(, 0)
    }},
    {"modelled_revenue", (const char[]){
#embed "../../definitions/modelled_revenue.sql" suffix(, 0)
    }},
    {"costs", (const char[]){
#embed "../../definitions/costs.sql" suffix(, 0)
    }},
    {"cohorts", (const char[]){
#embed "../../definitions/cohorts.sql" suffix(, 0)
    }},
    {"campaign_summary", (const char[]){
#embed "../../definitions/campaign_summary.sql" suffix(, 0)
    }},
    {"reconciliation", (const char[]){
#embed "../../definitions/reconciliation.sql" suffix(, 0)
    }},
    {"app_store", (const char[]){
#embed "../../definitions/app_store.sql" suffix(, 0)
    }},
    {"app_store_calibration", (const char[]){
#embed "../../definitions/app_store_calibration.sql" suffix(, 0)
    }},
    {"app_store_allocation", (const char[]){
#embed "../../definitions/app_store_allocation.sql" suffix(, 0)
    }},
    {"app_store_recount", (const char[]){
#embed "../../definitions/app_store_recount.sql" suffix(, 0)
    }},
    {"apple_ads", (const char[]){
#embed "../../definitions/apple_ads.sql" suffix(, 0)
    }},
    {"reports", (const char[]){
#embed "../../definitions/reports.sql" suffix(, 0)
    }},
    {"make_reports", (const char[]){
#embed "../../definitions/make_reports.sql" suffix(, 0)
    }},
    {"appsflyer", (const char[]){
#embed "../../definitions/appsflyer.sql" suffix(, 0)
    }},
    {"trail", (const char[]){
#embed "../../definitions/trail.sql" suffix(, 0)
    }},
    {"forwarding", (const char[]){
#embed "../../definitions/forwarding.sql" suffix(, 0)
    }},
    {"retention", (const char[]){
#embed "../../definitions/retention.sql" suffix(, 0)
    }},
    {"cluster", (const char[]){
#embed "../../definitions/cluster.sql" suffix(, 0)
    }},
    {"log_check", (const char[]){
#embed "../../definitions/log_check.sql" suffix(, 0)
    }},
    {"recount", (const char[]){
#embed "../../definitions/recount.sql" suffix(, 0)
    }},
};

const struct embedded_sql *embedded_migrations(void) { return migrations; }

size_t embedded_migration_count(void) { return sizeof(migrations) / sizeof(migrations[0]); }

const struct embedded_sql *embedded_definitions(void) { return definitions; }

size_t embedded_definition_count(void) { return sizeof(definitions) / sizeof(definitions[0]); }
