import AdminAPI
import Foundation
package import Hummingbird
import PageFigures
package import PageViews
import PostgresClient

/// A request for a screen, of somebody who is signed in.
package struct PageRequest: Sendable {
    package let request: Request
    package let session: PageSessions.Session
    /// The parameters of the address, in their order; empty ones are left out, as forms send them.
    package let query: [(name: String, value: String)]
    /// The text behind the path of the screen; nil if there is none.
    package let item: String?
    /// What was typed into a form of the screen before the session had ended; nil if there is nothing.
    package let draft: PageDraft?
    private let screens: [ScreenPlace]

    /// Reads the parameters.
    ///
    /// - Throws: `invalidParameter` if the address is no UTF-8.
    init(
        _ request: Request, session: PageSessions.Session, item: String?, draft: PageDraft?, screens: [ScreenPlace]
    ) throws(Problem) {
        self.request = request
        self.session = session
        self.item = item
        self.draft = draft
        self.screens = screens
        query = try AdminRequest.pairs(of: request.uri.query).filter { !$0.value.isEmpty }
    }

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
            }, csrf: session.formToken, notices: draft.map { [$0.notice] } ?? [], errors: errors, script: script)
    }
}
