/// What `openssl speed -mr` says of ECDSA: signatures made and verified a second.
struct OpenSSLSpeed: Equatable, Sendable {
    let signing: Double
    let verifying: Double
}

extension OpenSSLSpeed {
    /// Reads the last line that begins with `+F4`, such as `+F4:3:256:42000.1:13500.2`.
    ///
    /// - Throws: `BenchError` if there is no such line.
    init(output: String) throws {
        let line = output.split(separator: "\n").last { $0.hasPrefix("+F4:") } ?? ""
        let parts = line.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 5, let signing = Double(parts[3]), let verifying = Double(parts[4]) else {
            throw BenchError("openssl speed printed no rate")
        }
        self.signing = signing
        self.verifying = verifying
    }
}
