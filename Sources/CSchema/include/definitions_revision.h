#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// c4b2025147c09e277fb3e359aa4c9017c56c234b9c8dfaef2127744549b4126a
#define DEFINITIONS_REVISION 3
