import Access
package import AdminAPI
package import AuditTrail
import HTTPTypes
package import Hummingbird
package import Logging
import Observability
import PageViews
package import PostbackIngest
import PostgresClient
import Reports

/// Answers requests for the page: signing in and out, screens, and files that they refer to.
package struct PageRouter: Sendable {
    private let signing: SignInPages
    private let tokens: TokenCheck
    private let responses: PageResponses
    private let screens: [any PageScreen]
    private let logger: Logger
    private let failed = RepeatedLine(.error, "page failed")

    package init(
        sessions: PageSessions, tokens: TokenCheck, proxy: SignOnProxy?, trail: Trail, responses: PageResponses,
        screens: [any PageScreen], logger: Logger
    ) {
        signing = SignInPages(sessions: sessions, tokens: tokens, proxy: proxy, trail: trail, responses: responses)
        self.tokens = tokens
        self.responses = responses
        self.screens = screens
        self.logger = logger
    }

    /// The response; nil if the path is not one of the page.
    package func respond(to request: Request, from peer: ConnectionPeer) async throws -> Response? {
        let path = Self.path(request)
        switch path {
        case "/page.css": return try asset(request, PageAssets.style, "text/css; charset=utf-8")
        case "/icon.svg": return try asset(request, PageAssets.icon, "image/svg+xml")
        case PageScript.live.path: return try asset(request, PageAssets.liveScript, Self.script)
        case PageScript.copy.path: return try asset(request, PageAssets.copyScript, Self.script)
        case "/sign-in":
            return try await answering(PageFrame(title: "Sign in")) { try await signing.signIn(request, from: peer) }
        case "/sign-out":
            return try await answering(PageFrame(title: "Sign out")) { try await signing.signOut(request, from: peer) }
        default: break
        }
        guard let (screen, item) = screen(path) else { return nil }
        return try await answering(PageFrame(title: screen.place.name)) { try await show(screen, item, request, peer) }
    }

    private static let script = "text/javascript; charset=utf-8"

    /// The path without a trailing slash.
    private static func path(_ request: Request) -> String {
        let path = request.uri.path
        return path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }

    private func screen(_ path: String) -> (any PageScreen, item: String?)? {
        for screen in screens {
            if screen.place.path == path { return (screen, nil) }
            guard screen.place.path != "/", path.hasPrefix(screen.place.path + "/") else { continue }
            return (screen, String(path.dropFirst(screen.place.path.count + 1)))
        }
        return nil
    }

    private func show(
        _ screen: any PageScreen, _ item: String?, _ request: Request, _ peer: ConnectionPeer
    ) async throws -> Response {
        guard let session = try await signing.session(request, from: peer) else {
            return request.method == .post ? try await keep(screen, item, request, peer) : unknown(request)
        }
        let keepsDrafts = screen.place.hasForms && item == nil
        let draft =
            keepsDrafts && request.method == .get
            ? try await signing.sessions.draft(of: session, path: screen.place.path) : nil
        let page = try PageRequest(
            request, from: peer, session: session, place: screen.place, item: item, draft: draft,
            screens: screens.map(\.place))
        // So that the address that people copy has only what they chose.
        if request.method == .get, item == nil, page.hasEmptyParameters {
            return PageResponses.redirect(
                to: PageLink.address(screen.place.path, page.query.map { (name: $0.name, value: $0.value) }))
        }
        return try await answering(page.frame(screen.place.name)) {
            try check(screen.place.scope, session, peer)
            guard item == nil || screen.place.hasItems else { throw Problem.notFound }
            switch request.method {
            case .get, .head: return try await screen.show(page)
            case .post:
                if let scope = screen.place.changing { try check(scope, session, peer) }
                let form = try await PageForm(request)
                try SignInPages.check(form, session, request)
                let response = try await screen.submit(page, form)
                // Its fields are in the answer, if they are still needed. Those of another form are not.
                if keepsDrafts, let draft = try await signing.sessions.draft(of: session, path: screen.place.path),
                    form.hasFields(of: draft)
                {
                    try await signing.sessions.removeDraft(of: session, path: screen.place.path)
                }
                return response
            default: throw Problem(.methodNotAllowed, field: "method", rule: "must be GET or POST")
            }
        }
    }

    /// Refuses somebody who lacks a scope.
    private func check(_ scope: Scope, _ session: PageSessions.Session, _ peer: ConnectionPeer) throws(Problem) {
        guard session.caller.may(scope) else { throw tokens.denial(of: scope, to: session.caller, from: peer) }
    }

    /// Keeps what was sent in a session that has ended, and leads to the form to sign in.
    private func keep(
        _ screen: any PageScreen, _ item: String?, _ request: Request, _ peer: ConnectionPeer
    ) async throws -> Response {
        guard let session = signing.sealed(request, from: peer) else { return PageResponses.redirect(to: "/sign-in") }
        let form = try await PageForm(request)
        // What no page of this session sent is not kept.
        guard (try? SignInPages.check(form, session, request)) != nil else {
            return PageResponses.redirect(to: "/sign-in")
        }
        if screen.place.hasForms, item == nil, screen.place.changing.map(session.caller.may) ?? false,
            let draft = form.draft
        {
            try await signing.sessions.keep(draft, of: session, path: screen.place.path)
        }
        let page = try PageRequest(
            request, from: peer, session: session, place: screen.place, item: item, draft: nil,
            screens: screens.map(\.place))
        return PageResponses.redirect(
            to: PageLink.address("/sign-in", [("next", page.address(keeping: Self.path(request)))]))
    }

    /// Answers an address at which nothing is, for people.
    package func nothing(at request: Request, from peer: ConnectionPeer) async throws -> Response {
        let frame = PageFrame(title: PageResponses.nothing)
        return try await answering(frame) {
            guard let session = try await signing.session(request, from: peer) else {
                return responses.html(.notFound, frame)
            }
            let page = try PageRequest(
                request, from: peer, session: session, place: nil, item: nil, draft: nil,
                screens: screens.map(\.place))
            return responses.html(.notFound, page.frame(PageResponses.nothing))
        }
    }

    /// Answers somebody who is not signed in.
    private func unknown(_ request: Request) -> Response {
        let address = request.uri.string
        if request.method == .get, RequestSource(request) == .other {
            // A browser keeps the cookie back, because a link of another site led here. Of the next request this page is
            // the source.
            return responses.html(
                MessageView(
                    PageFrame(title: "Continue"), ["You followed a link from another site."],
                    link: PageLink("Continue to the page", address), isRefreshed: true))
        }
        let next = request.method == .get && address != "/" ? address : nil
        return PageResponses.redirect(to: PageLink.address("/sign-in", [("next", next)]))
    }

    private func asset(_ request: Request, _ bytes: [UInt8], _ contentType: String) throws(Problem) -> Response {
        guard [.get, .head].contains(request.method) else {
            throw Problem(.methodNotAllowed, field: "method", rule: "must be GET")
        }
        return PageResponses.asset(bytes, contentType)
    }

    /// Answers what is thrown with a page.
    private func answering(_ frame: PageFrame, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let problem as Problem {
            return responses.html(problem, frame)
        } catch ReportError.tooLarge {
            return responses.html(
                Problem(.reportTooLarge, field: "figures", rule: "took too long; choose fewer days, or one app"), frame)
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            if error.code == .leaseTimeout {
                return responses.html(
                    .unavailable("figures", rule: "others are being made, so these had to wait"), frame)
            }
            return responses.html(.unavailable(), frame)
        }
    }
}
