/// What all pages have: title, screens, errors.
package struct PageFrame: Sendable {
    let title: String
    let screens: [PageLink]
    /// The token of forms; nil if nobody is signed in.
    let csrf: String?
    let errors: [PageError]
    let script: String?

    /// Whether something was wrong in what was asked.
    package var hasErrors: Bool { !errors.isEmpty }
    /// Whether the page has a script.
    package var hasScript: Bool { script != nil }

    /// Takes what is shown.
    package init(
        title: String, screens: [PageLink] = [], csrf: String? = nil, errors: [PageError] = [], script: String? = nil
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
