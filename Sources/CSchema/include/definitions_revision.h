#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 011b0a615e07014ed60864ea419e7066ff585c2dbe4ad4205af97996aa482e88
#define DEFINITIONS_REVISION 2
