import AdminPage
import HTTPTypes
import Hummingbird
import Synchronization

/// Signs people in and out, and says whose a request is.
struct SignInPages: Sendable {
    let sessions: PageSessions
    let responses: PageResponses
    private let gate = SignInGate()

    init(sessions: PageSessions, responses: PageResponses) {
        self.sessions = sessions
        self.responses = responses
    }

    /// The session of a request; nil if there is none.
    func session(_ request: Request) async throws -> PageSessions.Session? {
        try await sessions.session(cookie(request).text(request.headers))
    }

    private func cookie(_ request: Request) -> PageCookie { PageCookie(request, name: sessions.cookieName) }

    /// Answers the form to sign in, and what it sends.
    func signIn(_ request: Request) async throws -> Response {
        let canSignIn = sessions.token != nil
        switch request.method {
        case .get, .head:
            let next = try AdminRequest.pairs(of: request.uri.query).first { $0.name == "next" }?.value
            return responses.html(SignInView(next: Self.local(next), canSignIn: canSignIn))
        case .post: break
        default: throw Problem(.methodNotAllowed, field: "method", rule: "must be GET or POST")
        }
        guard RequestSource(request) == .own else {
            throw Problem(.forbidden, field: "origin", rule: "must be this page")
        }
        let form = try await PageForm(request, upTo: 16_384)
        let next = Self.local(form["next"])
        guard let token = sessions.token else {
            return responses.html(SignInView(next: next, canSignIn: false), status: .forbidden)
        }
        guard token.isEqual(to: form["token"] ?? "") else {
            guard gate.isOpen else {
                let error = PageError("Too many wrong tokens at once. Wait a moment, and try again.", field: "token")
                return responses.html(
                    SignInView(error: error, next: next, canSignIn: true), status: .tooManyRequests)
            }
            await gate.delay()
            let error = PageError("This is not the admin token of this server.", field: "token")
            return responses.html(SignInView(error: error, next: next, canSignIn: true), status: .forbidden)
        }
        // A browser that was signed in gets another session.
        if let old = try await session(request) { try await sessions.close(old) }
        guard let session = try await sessions.open() else { throw Problem.notFound }
        return PageResponses.redirect(to: next, [cookie(request).field(session.text)])
    }

    /// Ends the session.
    func signOut(_ request: Request) async throws -> Response {
        guard request.method == .post else {
            throw Problem(.methodNotAllowed, field: "method", rule: "must be POST")
        }
        guard let session = try await session(request) else {
            // A page of another site can post here without the cookie. It must not remove the one that there is.
            return PageResponses.redirect(to: "/sign-in")
        }
        try Self.check(try await PageForm(request, upTo: 16_384), session, request)
        try await sessions.close(session)
        return PageResponses.redirect(to: "/sign-in", [cookie(request).field(nil)])
    }

    /// An address of this page; `/` in place of anything else.
    static func local(_ address: String?) -> String {
        guard let address, address.hasPrefix("/"), !address.hasPrefix("//"), address.utf8.count <= 4_000,
            address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return address
    }

    /// Refuses a form that a page of ours did not make.
    static func check(
        _ form: PageForm, _ session: PageSessions.Session, _ request: Request
    ) throws(Problem) {
        guard RequestSource(request) == .own else {
            throw Problem(.forbidden, field: "origin", rule: "must be this page")
        }
        guard let token = form["csrf"], session.allows(formToken: token) else {
            throw Problem(
                .forbidden, field: "csrf", rule: "must be that of the session; go back, and load the page again")
        }
    }
}

/// Bounds what guessing costs the server: a wrong token is answered after a second, and only a few wait at once.
///
/// A correct token is answered at once, so somebody who guesses locks nobody out. The token has 256 bits, so guessing it
/// is no danger.
final class SignInGate: Sendable {
    /// The greatest number of wrong tokens that wait for their answer.
    static let capacity = 8
    /// How long a wrong token waits.
    static let pause = Duration.seconds(1)

    private let waiting = Mutex(0)

    /// Whether another wrong token may wait now.
    var isOpen: Bool { waiting.withLock { $0 < Self.capacity } }

    /// Waits before a wrong token is answered.
    func delay() async {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        try? await Task.sleep(for: Self.pause)
    }
}
