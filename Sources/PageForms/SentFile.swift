import AdAttribution
package import AuditTrail
package import CampaignData
import Encodings
package import PageRequests
package import PageViews

/// A file as a form sent it: chosen, pasted, or carried by the page that asks.
package struct SentFile: Sendable {
    /// What is loaded.
    package let bytes: [UInt8]
    /// Its SHA-256: that of the bytes that were chosen, if a form can carry these.
    package let sha256: [UInt8]

    /// The text that a form carries; browsers send each line end as CRLF.
    package var text: String { String(decoding: Self.withPlainLineEnds(bytes), as: UTF8.self) }

    /// Takes a file that the page made.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        sha256 = SHA256.digest(bytes)
    }

    /// Takes the file of a field; nil if there is none.
    ///
    /// A browser changes the line ends of a text. So the form also carries the digest of the chosen file. It is taken if
    /// the text has this digest with line ends of one kind or the other.
    package init?(_ form: PageForm?, _ name: String) {
        guard let form, let bytes = form.file(name) else { return nil }
        self.bytes = bytes
        let plain = Self.withPlainLineEnds(bytes)
        let possible = [plain, Self.withNetworkLineEnds(plain)].map(SHA256.digest)
        let wanted = form["sha256"].flatMap { Hexadecimal.bytes($0) } ?? SHA256.digest(bytes)
        sha256 = possible.first { $0 == wanted } ?? SHA256.digest(plain)
    }

    private static func withPlainLineEnds(_ bytes: [UInt8]) -> [UInt8] { bytes.replacing([0x0D, 0x0A], with: [0x0A]) }

    private static func withNetworkLineEnds(_ bytes: [UInt8]) -> [UInt8] {
        bytes.replacing([0x0A], with: [0x0D, 0x0A])
    }

    /// The fields of a form that carries it.
    ///
    /// - Parameter name: The field that has the text.
    package func fields(_ name: String) -> [Fact] { [Fact(name, text), Fact("sha256", Hexadecimal.text(sha256))] }
}

extension LoadSource {
    /// A file that is only checked, so nothing is kept of it.
    package static func checked(by actor: TrailActor) -> LoadSource {
        LoadSource(actor, [LoadedFile(name: "checked on the page", [])])
    }
}
