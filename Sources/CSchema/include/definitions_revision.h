#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 2fc5fc3c2b9782a330e28b72ab6452ac8ed4022c42fac902ac10ca1c424d39fb
#define DEFINITIONS_REVISION 1
