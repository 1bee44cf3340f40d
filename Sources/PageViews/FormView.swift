import Mustache

/// A form that changes something.
package struct FormView: Sendable {
    let formID: String
    let formHeading: String?
    let hint: String?
    let target: String
    let csrf: String
    let hidden: [Fact]
    /// Whether it may be long, so that percent-encoding would make it much longer.
    let isMultipart: Bool
    private(set) var texts: [TextField]
    private(set) var choices: [SelectField]
    private(set) var files: [TextField]
    let buttons: [FormButton]

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - id: Tells the form from others of the page.
    ///   - target: The path that takes the form.
    ///   - csrf: The token of the session.
    ///   - hidden: What is sent with it and not shown.
    ///   - files: Files, each chosen or pasted; the name of the field to choose it ends in `-file`.
    ///   - buttons: The buttons; the name of each is `do`.
    package init(
        id: String, heading: String? = nil, hint: String? = nil, target: String, csrf: String, hidden: [Fact] = [],
        choices: [SelectField] = [], texts: [TextField] = [], files: [TextField] = [], buttons: [FormButton]
    ) {
        formID = id
        formHeading = heading
        self.hint = hint
        self.target = target
        self.csrf = csrf
        self.hidden = hidden
        isMultipart = !files.isEmpty || !hidden.isEmpty
        self.choices = choices
        self.texts = texts
        self.files = files
        self.buttons = buttons
    }

    /// A link to the form on its page; nil if it has no heading.
    package var link: PageLink? { formHeading.map { PageLink($0, "#\(formID)") } }

    /// The ids of its fields, by their names.
    var ids: [String: String] {
        let names = choices.map(\.id) + texts.map(\.id) + files.map(\.id)
        return Dictionary(names.map { ($0, "\(formID)-\($0)") }) { first, _ in first }
    }

    /// Whether one of its buttons sent a form.
    func has(_ sent: SentForm) -> Bool { buttons.contains { $0.value == sent.action } }

    /// The same with what was typed and chosen, and with what is wrong with it.
    ///
    /// Files have their text already.
    func showing(_ sent: SentForm, _ errors: [PageError]) -> FormView {
        var form = self
        form.choices = choices.map { $0.showing(sent.texts[$0.id], errors) }
        form.texts = texts.map { $0.showing(sent.texts[$0.id], errors) }
        form.files = files.map { $0.showing(nil, errors) }
        return form
    }
}

/// What a form was sent with, if it must be shown again.
package struct SentForm: Sendable {
    /// The value of the button.
    let action: String
    /// The texts of the fields, by their names.
    let texts: [String: String]

    /// Takes the value of the button, and the texts.
    package init(action: String, texts: [String: String]) {
        self.action = action
        self.texts = texts
    }
}

/// A button of a form.
package struct FormButton: Sendable {
    let label: String
    let value: String

    /// Takes the text and the value of `do`.
    package init(_ label: String, _ value: String) {
        self.label = label
        self.value = value
    }
}

/// The form with the filters of a screen.
package struct FilterForm: Sendable {
    let action: String
    let selects: [SelectField]
    let inputs: [TextField]
    let hidden: [Fact]
    let ranges: [PageLink]
    let shown: ShownDays?
    let comparison: ComparisonForm?
    let offer: FilterOffer?
    /// The filters that are on, in one line; nil if there are none.
    ///
    /// It stands where the form is folded.
    let inForce: String?

    /// Takes the fields.
    ///
    /// - Parameters:
    ///   - action: The path of the screen.
    ///   - hidden: What stays as it is, such as the order of a table.
    ///   - ranges: Links to the same with other days.
    ///   - shown: Which days are shown; nil if the screen has no days.
    ///   - comparison: The form that chooses the days to compare with; nil if the screen compares none.
    ///   - offer: Where there is something, if there is nothing here.
    ///   - inForce: The filters that are on, as people read them.
    package init(
        action: String, selects: [SelectField], inputs: [TextField], hidden: [Fact], ranges: [PageLink],
        shown: ShownDays? = nil, comparison: ComparisonForm? = nil, offer: FilterOffer? = nil,
        inForce: [String] = []
    ) {
        self.action = action
        self.selects = selects
        self.inputs = inputs
        self.hidden = hidden
        self.ranges = ranges
        self.shown = shown
        self.comparison = comparison
        self.offer = offer
        self.inForce = inForce.isEmpty ? nil : inForce.joined(separator: " · ")
    }

    /// The ids of its fields, which are their names too.
    var ids: [String: String] {
        let names = selects.map(\.id) + inputs.map(\.id)
        return Dictionary(names.map { ($0, $0) }) { first, _ in first }
    }

    /// The same with what is wrong with its fields.
    func showing(_ errors: [PageError]) -> FilterForm {
        FilterForm(
            action: action, selects: selects.map { $0.showing(nil, errors) },
            inputs: inputs.map { $0.showing(nil, errors) }, hidden: hidden, ranges: ranges, shown: shown,
            comparison: comparison, offer: offer, inForce: inForce.map { [$0] } ?? [])
    }
}

/// A field with a choice.
package struct SelectField: Sendable {
    struct Option: Sendable, MustacheParent {
        let value: String
        let text: String
        var isChosen: Bool

        // There may be many, and reflection takes its time.
        func child(named name: String) -> Any? {
            switch name {
            case "value": value
            case "text": text
            case "isChosen": isChosen
            default: nil
            }
        }
    }

    let id: String
    let label: String
    private(set) var options: [Option]
    /// What is wrong with it.
    private(set) var errors: [PageError] = []

    /// Takes a field.
    ///
    /// - Parameter options: Values with their texts.
    package init(id: String, label: String, options: [(value: String, text: String)], chosen: String) {
        self.id = id
        self.label = label
        self.options = options.map { Option(value: $0.value, text: $0.text, isChosen: $0.value == chosen) }
    }

    /// The same with another choice, and with those errors that are about it.
    ///
    /// - Parameter chosen: The value; nil, or one that is no option, changes nothing.
    func showing(_ chosen: String?, _ errors: [PageError]) -> SelectField {
        var field = self
        field.errors = errors.filter { $0.field == id }
        if let chosen, options.contains(where: { $0.value == chosen }) {
            for index in field.options.indices { field.options[index].isChosen = options[index].value == chosen }
        }
        return field
    }
}

/// A field with a text or a day.
package struct TextField: Sendable {
    let id: String
    let label: String
    private(set) var kind: String
    private(set) var content: String
    let isRequired: Bool
    /// Texts to choose from, beside which any other may be typed.
    let suggestions: [String]
    /// What is wrong with it.
    private(set) var errors: [PageError] = []

    /// Takes a field.
    package init(
        id: String, label: String, isDay: Bool = false, content: String = "", isRequired: Bool = false,
        suggestions: [String] = []
    ) {
        self.id = id
        self.label = label
        kind = isDay ? "date" : "text"
        self.content = content
        self.isRequired = isRequired
        self.suggestions = suggestions
    }

    /// The same with another text, and with those errors that are about it.
    ///
    /// - Parameter text: The text; nil changes nothing.
    func showing(_ text: String?, _ errors: [PageError]) -> TextField {
        var field = self
        field.content = text ?? content
        field.errors = errors.filter { $0.field == id }
        // A field for days would not show what is no day.
        if !field.errors.isEmpty { field.kind = "text" }
        return field
    }
}
