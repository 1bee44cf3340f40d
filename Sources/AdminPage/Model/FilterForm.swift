/// The form with the filters of a screen.
package struct FilterForm: Sendable {
    let action: String
    let selects: [SelectField]
    let inputs: [InputField]
    let hidden: [HiddenField]
    let ranges: [ScreenLink]
    let hasRanges: Bool
    let reset: String

    /// Takes the fields.
    ///
    /// - Parameters:
    ///   - action: The path of the screen.
    ///   - hidden: What stays as it is, such as the order of a table.
    ///   - ranges: Links to the same with other days.
    package init(
        action: String, selects: [SelectField], inputs: [InputField], hidden: [(name: String, value: String)],
        ranges: [ScreenLink]
    ) {
        self.action = action
        self.selects = selects
        self.inputs = inputs
        self.hidden = hidden.map { HiddenField(name: $0.name, value: $0.value) }
        self.ranges = ranges
        hasRanges = !ranges.isEmpty
        reset = action
    }
}

struct HiddenField: Sendable {
    let name: String
    let value: String
}

/// A field with a choice.
package struct SelectField: Sendable {
    let id: String
    let label: String
    let options: [SelectOption]

    /// Takes a field.
    ///
    /// - Parameter options: Values with their texts.
    package init(id: String, label: String, options: [(value: String, text: String)], chosen: String) {
        self.id = id
        self.label = label
        self.options = options.map { SelectOption(value: $0.value, text: $0.text, isChosen: $0.value == chosen) }
    }
}

struct SelectOption: Sendable {
    let value: String
    let text: String
    let isChosen: Bool
}

/// A field with a text or a day.
package struct InputField: Sendable {
    let id: String
    let label: String
    let kind: String
    let content: String
    let isWrong: Bool

    /// Takes a field.
    ///
    /// - Parameter isDay: Whether it is a day.
    package init(id: String, label: String, isDay: Bool, content: String, isWrong: Bool) {
        self.id = id
        self.label = label
        kind = isDay ? "date" : "text"
        self.content = content
        self.isWrong = isWrong
    }
}
