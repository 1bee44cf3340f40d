#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// ed538941171233ccd6420d2442e99da9e42f3bec533c193b8a449da648d6cb87
#define DEFINITIONS_REVISION 1
