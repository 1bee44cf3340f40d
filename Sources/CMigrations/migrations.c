#include "CMigrations.h"

// A new file needs three lines here. As literals of Swift the files took a minute and a half to compile.
static const struct embedded_migration migrations[] = {
    {"0001_dimensions", (const char[]){
#embed "../../migrations/0001_dimensions.sql" suffix(, 0)
    }},
    {"0002_postback", (const char[]){
#embed "../../migrations/0002_postback.sql" suffix(, 0)
    }},
    {"0003_figures", (const char[]){
#embed "../../migrations/0003_figures.sql" suffix(, 0)
    }},
    {"0004_reports", (const char[]){
#embed "../../migrations/0004_reports.sql" suffix(, 0)
    }},
    {"0005_quarantine", (const char[]){
#embed "../../migrations/0005_quarantine.sql" suffix(, 0)
    }},
    {"0006_web_ad", (const char[]){
#embed "../../migrations/0006_web_ad.sql" suffix(, 0)
    }},
    {"0007_import_progress", (const char[]){
#embed "../../migrations/0007_import_progress.sql" suffix(, 0)
    }},
    {"0008_conversion_scheme", (const char[]){
#embed "../../migrations/0008_conversion_scheme.sql" suffix(, 0)
    }},
    {"0009_campaign_mapping", (const char[]){
#embed "../../migrations/0009_campaign_mapping.sql" suffix(, 0)
    }},
    {"0010_spend", (const char[]){
#embed "../../migrations/0010_spend.sql" suffix(, 0)
    }},
    {"0011_answers", (const char[]){
#embed "../../migrations/0011_answers.sql" suffix(, 0)
    }},
    {"0012_answer_figures", (const char[]){
#embed "../../migrations/0012_answer_figures.sql" suffix(, 0)
    }},
    {"0013_reconciliation", (const char[]){
#embed "../../migrations/0013_reconciliation.sql" suffix(, 0)
    }},
    {"0014_answer_reports", (const char[]){
#embed "../../migrations/0014_answer_reports.sql" suffix(, 0)
    }},
    {"0015_money", (const char[]){
#embed "../../migrations/0015_money.sql" suffix(, 0)
    }},
    {"0016_appsflyer", (const char[]){
#embed "../../migrations/0016_appsflyer.sql" suffix(, 0)
    }},
    {"0017_retention", (const char[]){
#embed "../../migrations/0017_retention.sql" suffix(, 0)
    }},
    {"0018_page_session", (const char[]){
#embed "../../migrations/0018_page_session.sql" suffix(, 0)
    }},
    {"0019_cluster", (const char[]){
#embed "../../migrations/0019_cluster.sql" suffix(, 0)
    }},
    {"0020_log_check", (const char[]){
#embed "../../migrations/0020_log_check.sql" suffix(, 0)
    }},
};

const struct embedded_migration *embedded_migrations(void) { return migrations; }

size_t embedded_migration_count(void) { return sizeof(migrations) / sizeof(migrations[0]); }
