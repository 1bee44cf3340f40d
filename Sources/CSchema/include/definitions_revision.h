#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// b68eb4cd676886543ad80e24dab24011d9df15ebdf58f3de8dc04fee700a944c
#define DEFINITIONS_REVISION 1
