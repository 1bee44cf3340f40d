import CLibFuzzer
import Glibc

// SwiftPM names the main function of a program after the program, so libFuzzer's own main function can't be used.
private var count = CommandLine.argc
private var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { fuzzTestOneInput($0, $1) })
