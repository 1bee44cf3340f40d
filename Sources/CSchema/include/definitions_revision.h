#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// e2fa0ad39ec49145fa84021d37e62f171e617be937c5c8763f3098442b04bd34
#define DEFINITIONS_REVISION 2
