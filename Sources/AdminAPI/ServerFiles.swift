import Access
package import AuditTrail
import HTTPTypes
import Hummingbird
package import LocalFiles
package import Logging
import StrictJSON

/// The files that a running server reads again: when one has changed, on SIGHUP, and for `POST /v1/reload`.
///
/// Files that can't be used change nothing. The log says why, and so do the answer and `/ready`.
package struct ServerFiles: Sendable {
    /// What is read again as a whole; the raw value is its name in answers and metrics.
    package enum Part: String, CaseIterable, Sendable {
        case keyRing = "key_ring"
        case tokens = "tokens"
        case certificate = "certificate"
        case adminCertificate = "admin_certificate"

        /// Its name in the log and the trail.
        var name: String {
            switch self {
            case .keyRing: "key ring"
            case .tokens: "token file"
            case .certificate: "TLS certificate"
            case .adminCertificate: "TLS certificate of the admin listener"
            }
        }
    }

    /// Adds to the trail what was read again, and by whom.
    package typealias Note = @Sendable (String, TrailActor, [(name: String, count: Int64)]) async -> Void

    private let parts: [(part: Part, files: any Reloadable)]
    private let logger: Logger
    private let note: Note

    /// The files of a server; without the certificate of a listener that has no TLS.
    package init(
        keyRing: any Reloadable, tokens: any Reloadable, certificate: (any Reloadable)?,
        adminCertificate: (any Reloadable)?, logger: Logger, note: @escaping Note
    ) {
        var parts: [(part: Part, files: any Reloadable)] = [
            (part: .keyRing, files: keyRing), (part: .tokens, files: tokens),
        ]
        if let certificate { parts.append((part: .certificate, files: certificate)) }
        if let adminCertificate { parts.append((part: .adminCertificate, files: adminCertificate)) }
        self.parts = parts
        self.logger = logger
        self.note = note
    }

    /// Reads all parts again, one after the other; the trail gets which, unless none was read.
    ///
    /// - Parameters:
    ///   - onlyIfChanged: Whether parts are left alone whose files look as they did.
    ///   - actor: Who wants it.
    package func reload(onlyIfChanged: Bool, by actor: TrailActor) async {
        var read: [Part] = []
        var refused: Int64 = 0
        for (part, files) in parts {
            switch files.reload(onlyIfChanged: onlyIfChanged) {
            case .unchanged: continue
            case .replaced: logger.info("\(part.name) read again")
            case .refused(let reason):
                refused += 1
                logger.error("\(part.name) not replaced: the old one stays", metadata: ["error": "\(reason)"])
            }
            read.append(part)
        }
        guard !read.isEmpty else { return }
        await note(
            read.map(\.name).joined(separator: ", "), actor,
            [("replaced", Int64(read.count) - refused), ("refused", refused)])
    }

    /// The parts whose files can't be used, and why.
    package var refusals: [(part: Part, reason: String)] {
        parts.compactMap { part, files in files.refusal.map { (part: part, reason: $0) } }
    }

    /// The parts that there are.
    package var all: [Part] { parts.map(\.part) }

    /// `POST /v1/reload`: reads all parts again, and answers when the new ones are in force.
    var route: AdminRoute {
        AdminRoute(
            method: .post, path: "/v1/reload", summary: "Reads the key ring, the tokens and the certificates again",
            needs: .scope(.operate), contentTypes: ["application/json"], answer: .reloaded, problems: [.notReloaded]
        ) { request in
            await reload(onlyIfChanged: false, by: request.actor)
            let refused = refusals
            guard let first = refused.first else {
                let names = all.map { JSONText.quoted($0.rawValue) }
                return .json(.ok, "{\"reloaded\":[\(names.joined(separator: ","))]}".utf8)
            }
            throw Problem(
                .notReloaded, field: first.part.rawValue, rule: refused.map(\.reason).joined(separator: "; "))
        }
    }
}
