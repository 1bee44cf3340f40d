import AdminAPI
import Hummingbird

/// Where a screen is.
struct ScreenPlace: Sendable {
    let path: String
    let name: String
    /// Whether there is something behind its path.
    var hasItems = false
    /// The path of the screen under which it is; nil if it is in the list of screens itself.
    var parent: String?
    /// Whether it has forms into which people type.
    var hasForms = false
}

/// A screen of the page.
protocol PageScreen: Sendable {
    /// Where it is.
    var place: ScreenPlace { get }

    /// Answers GET.
    func show(_ request: PageRequest) async throws -> Response

    /// Answers a form of the screen, after its token was checked.
    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response
}

extension PageScreen {
    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        throw Problem(.methodNotAllowed, field: "method", rule: "must be GET")
    }
}
