#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 680f49ca7a1e217cc2f2f5faea8739b80763a6c097cab7f0e0c522468c8f6839
#define DEFINITIONS_REVISION 1
