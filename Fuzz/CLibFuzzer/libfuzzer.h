// The entry of libFuzzer for programs that have a main function of their own.
// Source: LLVM, "libFuzzer – a library for coverage-guided fuzz testing", "Using libFuzzer as a library".
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
