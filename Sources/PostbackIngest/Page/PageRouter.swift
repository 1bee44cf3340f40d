import AdminPage
import HTTPTypes
import Hummingbird
import Logging
import Observability
import PostbackStore
import PostgresClient

/// Answers requests for the page: signing in and out, screens, and files that they refer to.
struct PageRouter: Sendable {
    private let sessions: PageSessions
    private let responses: PageResponses
    private let screens: [any PageScreen]
    private let logger: Logger
    private let gate = SignInGate()
    private let failed = RepeatedLine(.error, "page failed")

    init(sessions: PageSessions, responses: PageResponses, screens: [any PageScreen], logger: Logger) {
        self.sessions = sessions
        self.responses = responses
        self.screens = screens
        self.logger = logger
    }

    /// The response; nil if the path is not one of the page.
    func respond(to request: Request) async throws -> Response? {
        let path = Self.path(request)
        switch path {
        case "/page.css": return try asset(request, PageAssets.style, "text/css; charset=utf-8")
        case "/icon.svg": return try asset(request, PageAssets.icon, "image/svg+xml")
        case "/live.js": return try asset(request, PageAssets.liveScript, "text/javascript; charset=utf-8")
        case "/sign-in": return try await answering(PageFrame(title: "Sign in")) { try await signIn(request) }
        case "/sign-out": return try await answering(PageFrame(title: "Sign out")) { try await signOut(request) }
        default: break
        }
        guard let (screen, item) = screen(path) else { return nil }
        return try await answering(PageFrame(title: screen.place.name)) { try await show(screen, item, request) }
    }

    /// The path without a trailing slash.
    private static func path(_ request: Request) -> String {
        let path = request.uri.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private func screen(_ path: String) -> (any PageScreen, item: String?)? {
        for screen in screens {
            if screen.place.path == path { return (screen, nil) }
            guard screen.place.path != "/", path.hasPrefix(screen.place.path + "/") else { continue }
            return (screen, String(path.dropFirst(screen.place.path.count + 1)))
        }
        return nil
    }

    private func show(_ screen: any PageScreen, _ item: String?, _ request: Request) async throws -> Response {
        guard let session = try await session(request) else { return unknown(request) }
        let page = try PageRequest(request, session: session, item: item, screens: screens.map(\.place))
        return try await answering(page.frame(screen.place.name)) {
            switch request.method {
            case .get, .head: return try await screen.show(page)
            case .post:
                let form = try await PageForm(request)
                try Self.check(form, session, request)
                return try await screen.submit(page, form)
            default: throw Problem(.methodNotAllowed, field: "method", rule: "must be GET or POST")
            }
        }
    }

    private func session(_ request: Request) async throws -> PageSessions.Session? {
        try await sessions.session(PageCookie(request).text(request.headers))
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
        return PageResponses.redirect(to: PageRequest.address("/sign-in", [("next", next)]))
    }

    /// Refuses a form that a page of ours did not make.
    private static func check(
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

    private func signIn(_ request: Request) async throws -> Response {
        let canSignIn = sessions.token != nil
        switch request.method {
        case .get, .head:
            let next = try AdminRequest.pairs(of: request.uri.query).first { $0.name == "next" }?.value
            return responses.html(SignInView(errors: [], next: Self.local(next), canSignIn: canSignIn))
        case .post: break
        default: throw Problem(.methodNotAllowed, field: "method", rule: "must be GET or POST")
        }
        guard RequestSource(request) == .own else {
            throw Problem(.forbidden, field: "origin", rule: "must be this page")
        }
        let form = try await PageForm(request, upTo: 16_384)
        let next = Self.local(form["next"])
        guard let token = sessions.token else {
            return responses.html(SignInView(errors: [], next: next, canSignIn: false), status: .forbidden)
        }
        guard token.isEqual(to: form["token"] ?? "") else {
            guard gate.isOpen else {
                let error = PageError("Too many wrong tokens at once. Wait a moment, and try again.", field: "token")
                return responses.html(
                    SignInView(errors: [error], next: next, canSignIn: true), status: .tooManyRequests)
            }
            await gate.delay()
            let error = PageError("This is not the admin token of this server.", field: "token")
            return responses.html(SignInView(errors: [error], next: next, canSignIn: true), status: .forbidden)
        }
        // A browser that was signed in gets another session.
        if let old = try await session(request) { try await sessions.close(old) }
        guard let session = try await sessions.open() else { throw Problem.notFound }
        return PageResponses.redirect(to: next, [PageCookie(request).field(session.text)])
    }

    private func signOut(_ request: Request) async throws -> Response {
        guard request.method == .post else {
            throw Problem(.methodNotAllowed, field: "method", rule: "must be POST")
        }
        guard let session = try await session(request) else {
            // A page of another site can post here without the cookie. It must not remove the one that there is.
            return PageResponses.redirect(to: "/sign-in")
        }
        try Self.check(try await PageForm(request, upTo: 16_384), session, request)
        try await sessions.close(session)
        return PageResponses.redirect(to: "/sign-in", [PageCookie(request).field(nil)])
    }

    /// An address of this page; `/` in place of anything else.
    static func local(_ address: String?) -> String {
        guard let address, address.hasPrefix("/"), !address.hasPrefix("//"), address.utf8.count <= 4_000,
            address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return address
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
