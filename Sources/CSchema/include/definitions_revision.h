#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 181779e07c67a9ebe64bb29e39c7ae3a47e3f4496772cd4edab1d26a03448a6c
#define DEFINITIONS_REVISION 6
