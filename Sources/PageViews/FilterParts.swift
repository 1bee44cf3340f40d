/// The days that a screen shows.
package struct ShownDays: Sendable {
    let days: String
    let fixed: String

    /// Takes the days as people read them.
    ///
    /// - Parameter fixed: The address that shows the same days tomorrow too.
    package init(_ days: String, fixed: String) {
        self.days = days
        self.fixed = fixed
    }
}

/// The form that chooses the days to compare with.
package struct ComparisonForm: Sendable {
    let chosen: String
    let action: String
    let hidden: [Fact]
    let choices: [PageLink]
    let day: TextField

    /// Takes links and the field.
    ///
    /// - Parameters:
    ///   - chosen: Which days are compared now.
    ///   - action: The path of the screen.
    ///   - hidden: The filters, which stay as they are.
    ///   - choices: Links that compare with other days.
    ///   - day: The field for the first day to compare with.
    package init(chosen: String, action: String, hidden: [Fact], choices: [PageLink], day: TextField) {
        self.chosen = chosen
        self.action = action
        self.hidden = hidden
        self.choices = choices
        self.day = day
    }
}

/// A sentence that says that nothing is here, and links to where something is.
package struct FilterOffer: Sendable {
    let sentence: String
    let links: [PageLink]

    /// Takes both.
    package init(_ sentence: String, links: [PageLink]) {
        self.sentence = sentence
        self.links = links
    }
}
