import FuzzTargets
import Glibc

// The environment variable FUZZ_TARGET names the target. All arguments are libFuzzer's.

private enum Chosen {
    /// Made once, before the first input.
    ///
    /// libFuzzer has only one thread.
    nonisolated(unsafe) static let target: any FuzzTarget = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let kind = FuzzTargets.named(name) else {
            fatalError("FUZZ_TARGET must be one of \(FuzzTargets.all.map { $0.name }.joined(separator: ", "))")
        }
        do {
            return try kind.init()
        } catch {
            fatalError("the target \(name) can't be made: \(error)")
        }
    }()
}

/// libFuzzer calls this with each input; it also looks for a function with this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTestOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    do {
        try Chosen.target.check(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
        // libFuzzer keeps the input of a process that traps.
        fatalError("\(type(of: Chosen.target).name): \(error)")
    }
    return 0
}
