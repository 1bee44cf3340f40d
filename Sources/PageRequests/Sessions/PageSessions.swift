package import Access
import AdAttribution
package import AdminAPI
import Encodings
package import Observability
package import PostbackStore
package import PostgresClient

/// Who is signed in to the page.
///
/// A session is a secret of 256 random bits in a cookie. The database keeps only a digest of it, made with the token that
/// opened it. So all servers of a database know a session, signing out ends it on all of them, and it ends with its
/// token. A session of a user of a sign-on proxy is made with `ADMIN_TOKEN`.
///
/// The cookie also has a seal, which is made with the same token. So nobody makes the server ask the database with a cookie
/// that is made up.
package struct PageSessions: Sendable {
    let store: PostbackStore
    /// Who can sign in.
    let tokens: TokenCheck
    let clock: WallClock
    /// The name of the cookie.
    ///
    /// Browsers send a cookie to all ports of a host. So each installation has a name of its own, and those of two on one
    /// host don't overwrite each other. It follows from `ADMIN_TOKEN` and the time when the database was made: servers
    /// that have both in common share their sessions. Nobody can tell the token from 64 bits of the digest of a
    /// digest, and only who is signed in sees the name.
    let cookieName: String

    /// The sessions of a database.
    ///
    /// - Parameter installedAt: When the database was made (`PostbackStore.installedAt`).
    package init(store: PostbackStore, tokens: TokenCheck, installedAt: PostgresTimestamp, clock: WallClock) {
        self.store = store
        self.tokens = tokens
        self.clock = clock
        let bytes = Array("cookie \(installedAt.microsecondsSince2000)".utf8)
        let digest = tokens.admin?.derived(from: bytes) ?? SHA256.digest(bytes)
        cookieName = "session-" + Hexadecimal.text(digest.prefix(8))
    }

    /// A session that is open.
    package struct Session: Sendable, Equatable {
        /// What only this session has.
        let secret: [UInt8]
        /// Shows that a server with the token of the caller made the secret.
        let seal: [UInt8]
        /// Whose it is, and what they may do now.
        package let caller: Caller

        /// The text of the cookie.
        var text: String { Base64.encode(secret + seal, .urlSafe) }

        /// What the log and the list of loads call the session.
        ///
        /// It tells nothing of the secret.
        package var name: String { Hexadecimal.text(SHA256.digest(Array("name".utf8) + secret).prefix(4)) }

        /// What only forms of this session know; it tells nothing of the secret.
        private var formSecret: [UInt8] { SHA256.digest(Array("form".utf8) + secret) }

        /// A token for a form of this session, another one each time.
        ///
        /// It is random bytes, and behind them the secret of the forms, masked with them. So what repeats on a page that is
        /// compressed is never the secret, and no length of an answer depends on it.
        package var formToken: String {
            let mask = PageSessions.random(PageSessions.secretSize)
            return Base64.encode(mask + zip(mask, formSecret).map { $0 ^ $1 }, .urlSafe)
        }

        /// Whether a form has a token of this session.
        func allows(formToken: String) -> Bool {
            let bytes = Array(formToken.utf8).withUnsafeBufferPointer { Base64.decode($0, .urlSafe) } ?? []
            guard bytes.count == 2 * PageSessions.secretSize else { return false }
            let (mask, masked) = (bytes.prefix(PageSessions.secretSize), bytes.dropFirst(PageSessions.secretSize))
            return zip(mask, masked).map { $0 ^ $1 }.isEqualInConstantTime(to: formSecret)
        }
    }

    private static let secretSize = 32

    /// Bytes of the generator of the operating system.
    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Begins a session.
    func open(_ caller: Caller) async throws -> Session {
        let secret = Self.random(Self.secretSize)
        let session = Session(secret: secret, seal: Self.seal(secret, caller), caller: caller)
        try await store.openPageSession(storedKey(session), at: now)
        return session
    }

    /// The session of a cookie; nil if it is none, or has ended.
    ///
    /// - Parameter user: Whom a sign-on proxy names.
    func session(_ cookie: String?, of user: Caller?) async throws -> Session? {
        guard let session = sealed(cookie, of: user) else { return nil }
        return try await store.usePageSession(storedKey(session), at: now) ? session : nil
    }

    /// The session of a cookie, which may have ended; nil if no token that is valid now, and not this user, opened it.
    ///
    /// It does not ask the database.
    func sealed(_ cookie: String?, of user: Caller?) -> Session? {
        guard let cookie,
            let bytes = Array(cookie.utf8).withUnsafeBufferPointer({ Base64.decode($0, .urlSafe) }),
            bytes.count > Self.secretSize
        else { return nil }
        let secret = Array(bytes.prefix(Self.secretSize))
        let seal = Array(bytes.dropFirst(Self.secretSize))
        let callers = (user.map { [$0] } ?? []) + tokens.callers
        return callers.first { seal.isEqualInConstantTime(to: Self.seal(secret, $0)) }.map {
            Session(secret: secret, seal: seal, caller: $0)
        }
    }

    /// What the database calls a session.
    func storedKey(_ session: Session) -> [UInt8] { session.caller.derived(from: session.secret) }

    /// What the database has is made of the secret alone, so it tells no seal.
    private static func seal(_ secret: [UInt8], _ caller: Caller) -> [UInt8] {
        caller.derived(from: Array("cookie".utf8) + secret)
    }

    /// Whether a session is still open, and its token as it was; this is no use of it.
    package func isOpen(_ session: Session) async throws -> Bool {
        switch session.caller.person {
        case .admin, .token: guard tokens.callers.contains(session.caller) else { return false }
        // A proxy says with each request who it is.
        case .user: break
        }
        return try await store.isPageSessionOpen(storedKey(session), at: now)
    }

    /// Ends a session, on all servers.
    func close(_ session: Session) async throws {
        try await store.closePageSession(storedKey(session))
    }

    var now: PostgresTimestamp { PostgresTimestamp(millisecondsSince1970: clock.milliseconds()) }
}
