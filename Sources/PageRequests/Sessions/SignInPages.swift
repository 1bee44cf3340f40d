import AdminAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PageViews
import PostbackIngest
import PostgresClient

/// Signs people in and out, and says whose a request is.
struct SignInPages: Sendable {
    /// The greatest number of bytes of a form: a token of 256 characters in percent-encoding, and its name.
    private static let greatestSize = 1_024

    let sessions: PageSessions
    let tokens: TokenCheck
    let responses: PageResponses
    let logger: Logger

    /// The session of a request; nil if there is none.
    func session(_ request: Request) async throws -> PageSessions.Session? {
        try await sessions.session(cookie(request).text(request.headers))
    }

    /// The session of a request, which may have ended; nil if its cookie is none of this server.
    func sealed(_ request: Request) -> PageSessions.Session? {
        sessions.sealed(cookie(request).text(request.headers))
    }

    private func cookie(_ request: Request) -> PageCookie { PageCookie(request, name: sessions.cookieName) }

    /// Answers the form to sign in, and what it sends.
    func signIn(_ request: Request, from peer: ConnectionPeer) async throws -> Response {
        let canSignIn = sessions.token != nil
        let next = Self.local(try AdminRequest.pairs(of: request.uri.query).first { $0.name == "next" }?.value)
        switch request.method {
        case .get, .head:
            return responses.html(Self.view(try await notices(request), next: next, canSignIn: canSignIn))
        case .post: break
        default: throw Problem(.methodNotAllowed, field: "method", rule: "must be GET or POST")
        }
        guard RequestSource(request) == .own else {
            throw Problem(.forbidden, field: "origin", rule: "must be this page")
        }
        let form = try await PageForm(request, upTo: Self.greatestSize)
        guard canSignIn else {
            return responses.html(Self.view([], next: next, canSignIn: false), status: .forbidden)
        }
        // A token has no blanks; one that was copied may have some around it.
        let text = (form["token"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard await tokens.allows(text, .form, from: peer) else {
            let error = PageError("This is not the admin token of this server.", field: "token")
            var response = responses.html(
                Self.view(try await notices(request), error: error, next: next, canSignIn: true),
                status: .unauthorized)
            response.headers[.wwwAuthenticate] = "Bearer"
            return response
        }
        guard let session = try await sessions.open() else { throw Problem.notFound }
        // A browser that was signed in gets another session, and what was typed in the old one.
        if let old = sealed(request) {
            try await sessions.passDrafts(of: old, to: session)
            try await sessions.close(old)
        }
        logger.notice("signed in to the page", metadata: ["from": "\(peer)", "session": "\(session.name)"])
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
        try Self.check(try await PageForm(request, upTo: Self.greatestSize), session, request)
        try await sessions.close(session)
        return PageResponses.redirect(to: "/sign-in", [cookie(request).field(nil)])
    }

    /// What happened to the session of a browser; nothing if it has none, or if it is open.
    private func notices(_ request: Request) async throws -> [String] {
        guard let session = sealed(request), try await !sessions.isOpen(session) else { return [] }
        let ends =
            "Your session has ended. It does so after \(PageSessionLimits.idleMinutes) minutes without a request, after "
            + "\(PageSessionLimits.wholeHours) hours, or if it is signed out elsewhere."
        guard try await sessions.hasDrafts(session) else {
            return [ends, "If you sent a form after that, nothing was changed."]
        }
        return [
            ends,
            "Nothing was changed. What you typed is kept for an hour: sign in, and it is in the form again. Files must be "
                + "chosen again.",
        ]
    }

    /// The form, which goes on with an address.
    private static func view(
        _ notices: [String], error: PageError? = nil, next: String, canSignIn: Bool
    ) -> SignInView {
        let target = PageLink.address("/sign-in", [("next", next == "/" ? nil : next)])
        return SignInView(notices: notices, error: error, target: target, canSignIn: canSignIn)
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
