/// What all pages have: title, screens, errors.
package struct PageFrame: Sendable {
    let title: String
    let screens: [ScreenLink]
    /// The token of forms; nil if nobody is signed in.
    let csrf: String?
    let errors: [PageError]
    let hasErrors: Bool
    let script: String?

    /// Takes what is shown.
    package init(
        title: String, screens: [ScreenLink] = [], csrf: String? = nil, errors: [PageError] = [], script: String? = nil
    ) {
        self.title = title
        self.screens = screens
        self.csrf = csrf
        self.errors = errors
        hasErrors = !errors.isEmpty
        self.script = script
    }
}

/// A link to a screen.
package struct ScreenLink: Sendable {
    let name: String
    let address: String
    let isCurrent: Bool

    /// Takes what is shown.
    package init(name: String, address: String, isCurrent: Bool) {
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

/// A page with a form to sign in.
package struct SignInView: PageView {
    let frame: PageFrame
    let next: String
    let canSignIn: Bool
    package var template: PageTemplate { .signIn }

    /// - Parameters:
    ///   - next: The address to go on with.
    ///   - canSignIn: Whether the server has an admin token.
    package init(errors: [PageError], next: String, canSignIn: Bool) {
        frame = PageFrame(title: "Sign in", errors: errors)
        self.next = next
        self.canSignIn = canSignIn
    }
}

/// A page with a few sentences.
package struct MessageView: PageView {
    let frame: PageFrame
    let sentences: [String]
    let link: PageLink?
    /// The address to which the browser goes at once.
    let refresh: String?
    package var template: PageTemplate { .message }

    /// Takes what is shown.
    package init(_ frame: PageFrame, _ sentences: [String], link: PageLink? = nil, isRefreshed: Bool = false) {
        self.frame = frame
        self.sentences = sentences
        self.link = link
        refresh = isRefreshed ? link?.address : nil
    }
}

/// A link with its text.
package struct PageLink: Sendable {
    let label: String
    let address: String

    /// Takes text and address.
    package init(_ label: String, _ address: String) {
        self.label = label
        self.address = address
    }
}
