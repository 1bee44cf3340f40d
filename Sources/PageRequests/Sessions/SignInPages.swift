import Access
import AdminAPI
import AuditTrail
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
    /// Nil if no proxy signs people on.
    let proxy: SignOnProxy?
    let trail: Trail
    let responses: PageResponses

    /// The session of a request; nil if there is none.
    func session(_ request: Request, from peer: ConnectionPeer) async throws -> PageSessions.Session? {
        try await sessions.session(cookie(request).text(request.headers), of: user(request, peer))
    }

    /// The session of a request, which may have ended; nil if its cookie is none of this server.
    func sealed(_ request: Request, from peer: ConnectionPeer) -> PageSessions.Session? {
        sessions.sealed(cookie(request).text(request.headers), of: user(request, peer))
    }

    /// Whom a sign-on proxy names.
    private func user(_ request: Request, _ peer: ConnectionPeer) -> Caller? { proxy?.caller(of: request, from: peer) }

    private func cookie(_ request: Request) -> PageCookie { PageCookie(request, name: sessions.cookieName) }

    /// Answers the form to sign in, and what it sends.
    func signIn(_ request: Request, from peer: ConnectionPeer) async throws -> Response {
        let canSignIn = tokens.hasTokens
        let next = Self.local(try AdminRequest.pairs(of: request.uri.query).first { $0.name == "next" }?.value)
        switch request.method {
        case .get, .head:
            // A page of another site could make a browser ask for this again and again.
            if request.method == .get, RequestSource(request) != .other, let user = user(request, peer) {
                let isSignedIn = try await session(request, from: peer)?.caller.person == user.person
                guard !isSignedIn else { return PageResponses.redirect(to: next) }
                return try await begin(user, request, from: peer, next: next)
            }
            return responses.html(Self.view(try await notices(request, peer), next: next, canSignIn: canSignIn))
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
        guard let caller = await tokens.caller(text, .form, from: peer) else {
            let error = PageError("This is no token of this server.", field: "token")
            var response = responses.html(
                Self.view(try await notices(request, peer), error: error, next: next, canSignIn: true),
                status: .unauthorized)
            response.headers[.wwwAuthenticate] = "Bearer"
            return response
        }
        return try await begin(caller, request, from: peer, next: next)
    }

    /// Begins a session, and goes on with an address.
    private func begin(
        _ caller: Caller, _ request: Request, from peer: ConnectionPeer, next: String
    ) async throws -> Response {
        guard caller.may(.read) else { throw tokens.denial(of: .read, to: caller, from: peer) }
        let session = try await sessions.open(caller)
        // A browser that was signed in as the same person gets another session, and what was typed in the old one.
        if let old = sealed(request, from: peer) {
            if old.caller.person == caller.person { try await sessions.passDrafts(of: old, to: session) }
            try await sessions.close(old)
        }
        await trail.note(.signIn, by: TrailActor(caller.person, session: session.name, from: "\(peer)"))
        return PageResponses.redirect(to: next, [cookie(request).field(session.text)])
    }

    /// Ends the session.
    func signOut(_ request: Request, from peer: ConnectionPeer) async throws -> Response {
        guard request.method == .post else {
            throw Problem(.methodNotAllowed, field: "method", rule: "must be POST")
        }
        guard let session = try await session(request, from: peer) else {
            // A page of another site can post here without the cookie. It must not remove the one that there is.
            return PageResponses.redirect(to: "/sign-in")
        }
        try Self.check(try await PageForm(request, upTo: Self.greatestSize), session, request)
        try await sessions.close(session)
        await trail.note(.signOut, by: TrailActor(session.caller.person, session: session.name, from: "\(peer)"))
        // A sign-on proxy would sign the browser on again at once.
        guard session.caller.person == user(request, peer)?.person else {
            return PageResponses.redirect(to: "/sign-in", [cookie(request).field(nil)])
        }
        let view = MessageView(
            PageFrame(title: "Signed out"),
            ["This page does not know you any more. The proxy that signed you on still does."],
            link: PageLink("Sign in again", "/sign-in"))
        var response = responses.html(view)
        response.headers.append(cookie(request).field(nil))
        return response
    }

    /// What happened to the session of a browser; nothing if it has none, or if it is open.
    private func notices(_ request: Request, _ peer: ConnectionPeer) async throws -> [String] {
        guard let session = sealed(request, from: peer), try await !sessions.isOpen(session) else { return [] }
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
