package import Access
import AdminAPI
package import Hummingbird

/// Where a screen is.
package struct ScreenPlace: Sendable {
    package let path: String
    package let name: String
    /// Whether there is something behind its path.
    let hasItems: Bool
    /// The path of the screen under which it is; nil if it is in the list of screens itself.
    let parent: String?
    /// Whether it has forms into which people type.
    let hasForms: Bool
    /// Who sees it.
    let scope: Scope
    /// Who may also send its forms; nil if it has none.
    package let changing: Scope?

    /// Takes what is known of a screen.
    package init(
        path: String, name: String, hasItems: Bool = false, parent: String? = nil, hasForms: Bool = false,
        scope: Scope = .read, changing: Scope? = nil
    ) {
        self.path = path
        self.name = name
        self.hasItems = hasItems
        self.parent = parent
        self.hasForms = hasForms
        self.scope = scope
        self.changing = changing
    }
}

/// A screen of the page.
package protocol PageScreen: Sendable {
    /// Where it is.
    var place: ScreenPlace { get }

    /// Answers GET.
    func show(_ request: PageRequest) async throws -> Response

    /// Answers a form of the screen, after its token was checked.
    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response
}

extension PageScreen {
    package func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        throw Problem(.methodNotAllowed, field: "method", rule: "must be GET")
    }
}
