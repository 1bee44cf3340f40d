/// A form that changes something.
package struct FormView: Sendable {
    let formID: String
    let formHeading: String?
    let hint: String?
    let target: String
    let csrf: String
    let texts: [FormText]
    let choices: [SelectField]
    let files: [FormText]
    let hasFiles: Bool
    let buttons: [FormButton]

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - id: Tells the form from others of the page.
    ///   - target: The path that takes the form.
    ///   - csrf: The token of the session.
    ///   - files: Files, each chosen or pasted; the name of the field to choose it ends in `-file`.
    ///   - buttons: The buttons; the name of each is `do`.
    package init(
        id: String, heading: String? = nil, hint: String? = nil, target: String, csrf: String,
        choices: [SelectField] = [],
        texts: [FormText] = [], files: [FormText] = [], buttons: [FormButton]
    ) {
        formID = id
        formHeading = heading
        self.hint = hint
        self.target = target
        self.csrf = csrf
        self.choices = choices
        self.texts = texts
        self.files = files
        hasFiles = !files.isEmpty
        self.buttons = buttons
    }
}

/// A field of a form with a text.
package struct FormText: Sendable {
    let id: String
    let label: String
    let kind: String
    let content: String
    let isRequired: Bool

    /// Takes a field.
    package init(id: String, label: String, isDay: Bool = false, content: String = "", isRequired: Bool = false) {
        self.id = id
        self.label = label
        kind = isDay ? "date" : "text"
        self.content = content
        self.isRequired = isRequired
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
