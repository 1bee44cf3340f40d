import Encodings

/// What all pages have: title, screens, errors.
package struct PageFrame: Sendable {
    let title: String
    let screens: [PageLink]
    /// Who is signed in; nil if nobody is.
    let person: String?
    /// The token of forms; nil if nobody is signed in.
    let csrf: String?
    /// Whether this person may send the forms of the page.
    let showsForms: Bool
    /// What happened before, such as the end of a session.
    let notices: [String]
    private(set) var errors: [PageError]
    package let script: PageScript?

    /// Whether something was wrong in what was asked.
    package var hasErrors: Bool { !errors.isEmpty }

    /// Takes what is shown.
    package init(
        title: String, screens: [PageLink] = [], person: String? = nil, csrf: String? = nil, showsForms: Bool = false,
        notices: [String] = [], errors: [PageError] = [], script: PageScript? = nil
    ) {
        self.title = title
        self.screens = screens
        self.person = person
        self.csrf = csrf
        self.showsForms = showsForms
        self.notices = notices
        self.errors = errors
        self.script = script
    }

    /// The same with one more error.
    package func adding(_ error: PageError) -> PageFrame {
        var frame = self
        frame.errors.append(error)
        return frame
    }

    /// The same with errors that lead to fields which the page has.
    ///
    /// - Parameter ids: The ids of the fields of the page, by the names that errors give them.
    func leading(to ids: [String: String]) -> PageFrame {
        var frame = self
        frame.errors = errors.map { PageError($0.message, field: $0.field.flatMap { ids[$0] }, excerpt: $0.excerpt) }
        return frame
    }
}

/// A script of this server that helps on a page.
///
/// Without it the page works too.
package struct PageScript: Sendable {
    package let path: String
    /// Whether it asks this server for more.
    package let hasConnection: Bool

    /// Adds events to a table as they come.
    package static let live = PageScript(path: "/live.js", hasConnection: true)
    /// Copies the address of a link.
    package static let copy = PageScript(path: "/copy.js", hasConnection: false)
}

/// A link with its text.
package struct PageLink: Sendable {
    let name: String
    let address: String
    let isCurrent: Bool

    /// Takes text and address, and whether it leads to what is shown.
    package init(_ name: String, _ address: String, isCurrent: Bool = false) {
        self.name = name
        self.address = address
        self.isCurrent = isCurrent
    }

    /// The address of a path with parameters; those with nil are left out.
    package static func address(_ path: String, _ parameters: [(name: String, value: String?)]) -> String {
        let pairs = parameters.compactMap { name, value in value.map { (name: name, value: $0) } }
        return pairs.isEmpty ? path : path + "?" + PercentEncoding.query(of: pairs)
    }
}

/// Something wrong in what was asked, as the summary at the top of a page says it.
package struct PageError: Sendable {
    let message: String
    /// The field that is wrong; nil if it is none.
    package let field: String?
    /// The line that is wrong, as it was sent; nil if there is none.
    let excerpt: String?
    /// The link to the field.
    let target: String

    /// Takes a message, the field that is wrong, and its line.
    package init(_ message: String, field: String? = nil, excerpt: String? = nil) {
        self.message = message
        self.field = field
        self.excerpt = excerpt
        target = "#" + (field ?? "main")
    }
}
