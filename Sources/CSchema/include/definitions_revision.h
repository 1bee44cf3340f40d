#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 370d99d75abf0c8d065ca94b6b64a59520b5ae0ca61bf8543aa5ee46fabe3a3e
#define DEFINITIONS_REVISION 1
