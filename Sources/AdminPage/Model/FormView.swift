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
    let texts: [TextField]
    let choices: [SelectField]
    let files: [TextField]
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

    /// Takes the fields.
    ///
    /// - Parameters:
    ///   - action: The path of the screen.
    ///   - hidden: What stays as it is, such as the order of a table.
    ///   - ranges: Links to the same with other days.
    package init(
        action: String, selects: [SelectField], inputs: [TextField], hidden: [Fact], ranges: [PageLink]
    ) {
        self.action = action
        self.selects = selects
        self.inputs = inputs
        self.hidden = hidden
        self.ranges = ranges
    }
}

/// A field with a choice.
package struct SelectField: Sendable {
    struct Option: Sendable, MustacheParent {
        let value: String
        let text: String
        let isChosen: Bool

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
    let options: [Option]

    /// Takes a field.
    ///
    /// - Parameter options: Values with their texts.
    package init(id: String, label: String, options: [(value: String, text: String)], chosen: String) {
        self.id = id
        self.label = label
        self.options = options.map { Option(value: $0.value, text: $0.text, isChosen: $0.value == chosen) }
    }
}

/// A field with a text or a day.
package struct TextField: Sendable {
    let id: String
    let label: String
    let kind: String
    let content: String
    let isRequired: Bool
    let isWrong: Bool

    /// Takes a field.
    package init(
        id: String, label: String, isDay: Bool = false, content: String = "", isRequired: Bool = false,
        isWrong: Bool = false
    ) {
        self.id = id
        self.label = label
        kind = isDay ? "date" : "text"
        self.content = content
        self.isRequired = isRequired
        self.isWrong = isWrong
    }
}
