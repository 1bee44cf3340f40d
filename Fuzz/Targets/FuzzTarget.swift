/// Something that takes untrusted bytes, and what must hold for any bytes.
package protocol FuzzTarget: SendableMetatype {
    /// The name on the command line, which is also that of the folder with its corpus.
    static var name: String { get }

    init() throws

    /// Tries one input.
    ///
    /// - Throws: `Finding` if a rule is broken.
    func check(_ input: [UInt8]) throws
}

/// All targets.
package enum FuzzTargets {
    /// In the order in which they are run.
    package static let all: [any FuzzTarget.Type] = [
        PostbackTarget.self, JWSTarget.self, SignatureTarget.self, KeyTarget.self, KeyRingTarget.self,
        AdminTarget.self, ArchiveTarget.self, HTTPTarget.self, ProxyHeaderTarget.self,
        TableTarget.self, SchemeTarget.self, DestinationTarget.self, EnrichmentTarget.self, NotificationTarget.self,
        SignedDataTarget.self, ReceiptTarget.self,
    ]

    /// The target with a name.
    package static func named(_ name: String) -> (any FuzzTarget.Type)? {
        all.first { $0.name == name }
    }
}

/// A rule that an input broke.
package struct Finding: Error, CustomStringConvertible {
    /// The rule.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a finding if a condition does not hold.
func expect(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
    if !holds { throw Finding(rule()) }
}

/// Takes an input apart, from its beginning.
struct InputReader {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next bytes, fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// All that is left.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
