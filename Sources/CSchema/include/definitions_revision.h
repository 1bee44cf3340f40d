#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 9759207a4b61263a290d69296c2fff2176f2056689db8036656e171dcea15d8a
#define DEFINITIONS_REVISION 2
