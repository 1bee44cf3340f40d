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
    let error: PageError?
    let target: String
    let canSignIn: Bool
    package var template: PageTemplate { .signIn }

    /// - Parameters:
    ///   - notices: What happened to the session before.
    ///   - target: Where the form is sent.
    ///   - canSignIn: Whether the server has a token.
    package init(notices: [String] = [], error: PageError? = nil, target: String, canSignIn: Bool) {
        frame = PageFrame(title: "Sign in", notices: notices, errors: error.map { [$0] } ?? [])
        self.error = error
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
    let back: PageLink?
    let introduction: String
    let filters: FilterForm?
    let tabs: [PageLink]
    let notices: [String]
    let facts: [Fact]
    let actions: [FormView]
    let blocks: [TextBlock]
    let figures: [FigureView]
    let isPaired: Bool
    let forms: [FormView]
    package var template: PageTemplate { .report }

    /// Takes what is shown.
    ///
    /// The errors of the frame name fields of the filters or of the form that was sent. Each of these fields says what is
    /// wrong with it, and the summary of the errors leads there. Forms are shown to whom the frame shows them.
    ///
    /// - Parameters:
    ///   - back: A link to the screen that led here.
    ///   - tabs: Links to other views of the same screen.
    ///   - actions: Forms about all that the screen shows; they stand side by side below the facts.
    ///   - isPaired: Whether two charts stand side by side if there is room.
    ///   - sent: What one of the forms was sent with; nil if none was, or if it was done.
    package init(
        _ frame: PageFrame, back: PageLink? = nil, introduction: String, filters: FilterForm? = nil,
        tabs: [PageLink] = [], notices: [String] = [], facts: [Fact] = [], actions: [FormView] = [],
        blocks: [TextBlock] = [], figures: [FigureView] = [], isPaired: Bool = false, forms: [FormView] = [],
        sent: SentForm? = nil
    ) {
        var forms = frame.showsForms ? forms : []
        var ids = filters?.ids ?? [:]
        if let sent, let index = Self.index(of: sent, frame.errors, in: forms) {
            ids.merge(forms[index].ids) { $1 }
            forms[index] = forms[index].showing(sent, frame.errors)
        }
        self.frame = frame.leading(to: ids)
        self.back = back
        self.introduction = introduction
        self.filters = filters?.showing(frame.errors)
        self.tabs = tabs
        self.notices = notices
        self.facts = facts
        self.actions = frame.showsForms ? actions : []
        self.blocks = blocks
        self.figures = figures
        self.isPaired = isPaired
        self.forms = forms
    }

    /// The form that was sent, or else one that has a field of an error.
    private static func index(of sent: SentForm, _ errors: [PageError], in forms: [FormView]) -> Int? {
        forms.firstIndex { $0.has(sent) }
            ?? forms.firstIndex { form in errors.contains { $0.field.flatMap { form.ids[$0] } != nil } }
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
