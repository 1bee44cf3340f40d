package import Access
import AdminAPI
package import AuditTrail
import Foundation
package import Hummingbird
import PageFigures
package import PageViews
import PostbackIngest
import PostgresClient

/// A request for a screen, of somebody who is signed in.
package struct PageRequest: Sendable {
    package let request: Request
    package let session: PageSessions.Session
    /// The parameters of the address, in their order; empty ones are left out, as forms send them.
    package let query: [(name: String, value: String)]
    /// Whether the address has empty parameters, which forms send and which say nothing.
    let hasEmptyParameters: Bool
    /// The text behind the path of the screen; nil if there is none.
    package let item: String?
    /// What was typed into a form of the screen before the session had ended; nil if there is nothing.
    package let draft: PageDraft?
    /// The other end of the connection.
    private let peer: ConnectionPeer
    /// The screen; nil if there is none.
    private let place: ScreenPlace?
    /// The screens that this person sees.
    private let screens: [ScreenPlace]

    /// Reads the parameters.
    ///
    /// - Throws: `invalidParameter` if the address is no UTF-8.
    init(
        _ request: Request, from peer: ConnectionPeer, session: PageSessions.Session, place: ScreenPlace?,
        item: String?,
        draft: PageDraft?, screens: [ScreenPlace]
    ) throws(Problem) {
        self.request = request
        self.peer = peer
        self.session = session
        self.place = place
        self.item = item
        self.draft = draft
        self.screens = screens.filter { session.caller.may($0.scope) }
        let pairs = try AdminRequest.pairs(of: request.uri.query)
        query = pairs.filter { !$0.value.isEmpty }
        hasEmptyParameters = query.count < pairs.count
    }

    /// Who asks, as the trail has it.
    package var actor: TrailActor { TrailActor(session.caller.person, session: session.name, from: "\(peer)") }

    /// Whether the person has a scope.
    package func may(_ scope: Scope) -> Bool { session.caller.may(scope) }

    /// The value of a parameter; nil if it is not there.
    package subscript(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The address of a path with the filters of this one, also over screens that do not use them.
    ///
    /// - Parameter changes: Parameters that are added or replaced; nil removes one.
    package func address(keeping path: String, _ changes: [(name: String, value: String?)] = []) -> String {
        var changed = Set(changes.map(\.name))
        // A day takes the place of `days`.
        if self["from"] != nil || self["to"] != nil { changed.insert("days") }
        let filters = PageFilters.names.filter { !changed.contains($0) }.map { (name: $0, value: self[$0]) }
        return PageLink.address(path, filters + changes)
    }

    /// The frame of a page of a screen.
    ///
    /// Links to other screens keep the filters, but for those of a screen that says what is wrong with them.
    package func frame(
        _ title: String, errors: [PageError] = [], script: PageScript? = nil
    ) -> PageFrame {
        let keepsFilters = errors.isEmpty || request.method == .post
        let parent = screens.first { $0.path == request.uri.path }?.parent
        return PageFrame(
            title: title,
            screens: screens.filter { $0.parent == nil }.map { screen in
                PageLink(
                    screen.name, keepsFilters ? address(keeping: screen.path) : screen.path,
                    isCurrent: screen.path == request.uri.path || screen.path == parent
                        || screen.path != "/" && request.uri.path.hasPrefix(screen.path + "/"))
            }, person: session.caller.person.shown, csrf: session.formToken,
            showsForms: place?.changing.map(may) ?? false, notices: draft.map { [$0.notice] } ?? [], errors: errors,
            script: script)
    }
}

extension Caller.Person {
    /// What the page calls them, behind “Signed in as”.
    fileprivate var shown: String {
        switch self {
        // The name alone reads like the label of a secret.
        case .admin: "the administrator (\(description))"
        case .token, .user: description
        }
    }
}
