#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 457bff61661d281fec211356d384d892be9452dbde7af13e3768dc2a7df07e3e
#define DEFINITIONS_REVISION 12
