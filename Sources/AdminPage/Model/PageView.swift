/// What a whole page shows.
package protocol PageView {
    /// What all pages have.
    var frame: PageFrame { get }
    /// The template that shows it.
    var template: PageTemplate { get }
}

/// The templates of whole pages.
package enum PageTemplate: String, Sendable {
    case signIn = "signin"
    case message
    case report
    case live
}

/// A page with a form to sign in.
package struct SignInView: PageView {
    package let frame: PageFrame
    let target: String
    let canSignIn: Bool
    package var template: PageTemplate { .signIn }

    /// - Parameters:
    ///   - target: Where the form is sent.
    ///   - canSignIn: Whether the server has an admin token.
    package init(error: PageError? = nil, target: String, canSignIn: Bool) {
        frame = PageFrame(title: "Sign in", errors: error.map { [$0] } ?? [])
        self.target = target
        self.canSignIn = canSignIn
    }
}

/// A page with a few sentences.
package struct MessageView: PageView {
    package let frame: PageFrame
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

/// The screen with live events.
package struct LiveView: PageView {
    package let frame: PageFrame
    let events: TableView
    package var template: PageTemplate { .live }

    /// Takes the last events, the newest first.
    package init(_ frame: PageFrame, headers: [TableHeader], rows: [[TableCell]]) {
        self.frame = frame
        events = TableView(caption: "Last events", headers: headers, rows: rows)
    }
}

/// A screen: figures, facts, texts and forms.
package struct ReportView: PageView {
    package let frame: PageFrame
    let introduction: String
    let filters: FilterForm?
    let tabs: [PageLink]
    let notices: [String]
    let facts: [Fact]
    let blocks: [TextBlock]
    let figures: [FigureView]
    let isPaired: Bool
    let forms: [FormView]
    package var template: PageTemplate { .report }

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - tabs: Links to other views of the same screen.
    ///   - isPaired: Whether two charts stand side by side if there is room.
    package init(
        _ frame: PageFrame, introduction: String, filters: FilterForm? = nil, tabs: [PageLink] = [],
        notices: [String] = [], facts: [Fact] = [], blocks: [TextBlock] = [], figures: [FigureView] = [],
        isPaired: Bool = false, forms: [FormView] = []
    ) {
        self.frame = frame
        self.introduction = introduction
        self.filters = filters
        self.tabs = tabs
        self.notices = notices
        self.facts = facts
        self.blocks = blocks
        self.figures = figures
        self.isPaired = isPaired
        self.forms = forms
    }
}

/// A name and a text.
package struct Fact: Sendable {
    let name: String
    let text: String

    /// Takes both.
    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}

/// A text as it is, such as a body.
package struct TextBlock: Sendable {
    let blockID: String
    let blockHeading: String
    let note: String?
    let text: String

    /// Takes what is shown.
    package init(id: String, heading: String, note: String? = nil, text: String) {
        blockID = id
        blockHeading = heading
        self.note = note
        self.text = text
    }
}
