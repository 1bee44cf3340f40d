import AdAttribution
import AdminAPI
import Encodings
import Observability
import PostbackStore
import PostgresClient

/// Who is signed in to the page.
///
/// A session is a secret of 256 random bits in a cookie. The database keeps only a digest of it, made with the admin
/// token. So all servers of a database know a session, signing out ends it on all of them, and another admin token ends
/// all sessions.
///
/// The cookie also has a seal, which is made with the admin token. So nobody makes the server ask the database with a
/// cookie that is made up.
struct PageSessions: Sendable {
    let store: PostbackStore
    /// The secret of the admin listener; without one nobody can sign in.
    let token: BearerToken?
    let clock: WallClock
    /// The name of the cookie.
    ///
    /// Browsers send a cookie to all ports of a host. So each installation has a name of its own, and those of two on one
    /// host don't overwrite each other. It comes from the admin token and from the time when the database was made, since
    /// servers that have both in common share their sessions. Nobody can tell the token from 64 bits of the digest of a
    /// digest, and only who is signed in sees the name.
    let cookieName: String

    /// The sessions of a database.
    ///
    /// - Parameter installedAt: When the database was made (`PostbackStore.installedAt`).
    init(store: PostbackStore, token: BearerToken?, installedAt: PostgresTimestamp, clock: WallClock) {
        self.store = store
        self.token = token
        self.clock = clock
        let digest = token?.derived(from: Array("cookie \(installedAt.microsecondsSince2000)".utf8)) ?? []
        cookieName = "session-" + Hexadecimal.text(digest.prefix(8))
    }

    /// A session that is open.
    struct Session: Sendable, Equatable {
        /// What only this session has.
        let secret: [UInt8]
        /// Shows that a server with this admin token made the secret.
        let seal: [UInt8]

        /// The text of the cookie.
        var text: String { Base64.encode(secret + seal, .urlSafe) }

        /// What the log and the list of loads call the session.
        ///
        /// It tells nothing of the secret.
        var name: String { Hexadecimal.text(SHA256.digest(Array("name".utf8) + secret).prefix(4)) }

        /// The token that forms of this session carry.
        ///
        /// It tells nothing of the secret.
        var formToken: String { Base64.encode(SHA256.digest(Array("form".utf8) + secret), .urlSafe) }

        /// Whether a form has the token of this session.
        func allows(formToken: String) -> Bool {
            Array(formToken.utf8).isEqualInConstantTime(to: Array(self.formToken.utf8))
        }
    }

    private static let secretSize = 32

    /// Begins a session; nil if there is no admin token.
    func open() async throws -> Session? {
        guard let token else { return nil }
        // The generator of the operating system.
        var random = SystemRandomNumberGenerator()
        let secret = (0..<Self.secretSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        try await store.openPageSession(token.derived(from: secret), at: now)
        return Session(secret: secret, seal: Self.seal(secret, token))
    }

    /// The session of a cookie; nil if it is none, or has ended.
    func session(_ cookie: String?) async throws -> Session? {
        guard let token, let cookie,
            let bytes = Array(cookie.utf8).withUnsafeBufferPointer({ Base64.decode($0, .urlSafe) }),
            bytes.count > Self.secretSize
        else { return nil }
        let session = Session(
            secret: Array(bytes.prefix(Self.secretSize)), seal: Array(bytes.dropFirst(Self.secretSize)))
        guard session.seal.isEqualInConstantTime(to: Self.seal(session.secret, token)) else { return nil }
        return try await store.usePageSession(token.derived(from: session.secret), at: now) ? session : nil
    }

    /// What the database has is made of the secret alone, so it tells no seal.
    private static func seal(_ secret: [UInt8], _ token: BearerToken) -> [UInt8] {
        token.derived(from: Array("cookie".utf8) + secret)
    }

    /// Whether a session is still open; this is no use of it.
    func isOpen(_ session: Session) async throws -> Bool {
        guard let token else { return false }
        return try await store.isPageSessionOpen(token.derived(from: session.secret), at: now)
    }

    /// Ends a session, on all servers.
    func close(_ session: Session) async throws {
        guard let token else { return }
        try await store.closePageSession(token.derived(from: session.secret))
    }

    private var now: PostgresTimestamp { PostgresTimestamp(millisecondsSince1970: clock.milliseconds()) }
}
