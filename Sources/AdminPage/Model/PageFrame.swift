/// What all pages have: title, screens, errors.
package struct PageFrame: Sendable {
    let title: String
    let screens: [PageLink]
    /// The token of forms; nil if nobody is signed in.
    let csrf: String?
    let errors: [PageError]
    let script: PageScript?

    /// Whether something was wrong in what was asked.
    package var hasErrors: Bool { !errors.isEmpty }

    /// Takes what is shown.
    package init(
        title: String, screens: [PageLink] = [], csrf: String? = nil, errors: [PageError] = [],
        script: PageScript? = nil
    ) {
        self.title = title
        self.screens = screens
        self.csrf = csrf
        self.errors = errors
        self.script = script
    }

    /// The same with one more error.
    package func adding(_ error: PageError) -> PageFrame {
        PageFrame(title: title, screens: screens, csrf: csrf, errors: errors + [error], script: script)
    }
}

/// A script of this server that helps on a page.
///
/// Without it the page works too.
package struct PageScript: Sendable {
    let path: String
    /// Whether it asks this server for more.
    let hasConnection: Bool

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
}

/// Something wrong in what was asked, as the summary at the top of a page says it.
package struct PageError: Sendable {
    let message: String
    /// The link to the field.
    let target: String

    /// Takes a message and the id of the field that is wrong.
    package init(_ message: String, field: String? = nil) {
        self.message = message
        target = "#" + (field ?? "main")
    }
}
