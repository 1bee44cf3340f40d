import Foundation

/// The numbers and days of a chart, as people read them.
struct ChartNumber: Sendable {
    /// Whether numbers are shares of 1.
    let isShare: Bool

    /// A number beside its bar; nil stands for one that nobody knows.
    func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        if isShare { return NumberText.share("\(value)") }
        let isWhole = value == value.rounded() || value >= 1_000
        return NumberText.decimal(isWhole ? "\(Int(value.rounded()))" : "\(value)", places: isWhole ? 0 : 2)
    }

    /// A number of the vertical axis, short.
    ///
    /// - Parameters:
    ///   - step: From one number of the axis to the next: a round number.
    ///   - end: The greatest number of the axis.
    func mark(_ value: Double, step: Double, end: Double) -> String {
        if isShare {
            let isWhole = (step * 100 - (step * 100).rounded()).magnitude < 1e-9
            return NumberText.decimal("\(value * 100)", places: isWhole ? 0 : 1) + " %"
        }
        guard end >= 10_000 else { return text(value) }
        for (unit, name) in [(1e12, "T"), (1e9, "bn"), (1e6, "M"), (1e3, "k")] where value >= unit {
            return short(value / unit) + name
        }
        return text(value)
    }

    private func short(_ value: Double) -> String {
        let text = NumberText.decimal("\(value)", places: 2)
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : text.hasSuffix("0") ? String(text.dropLast()) : text
    }

    /// A place of the horizontal axis: a day without its year, if all places are of one year.
    static func place(_ text: String, isOneYear: Bool) -> String {
        let (day, rest) = (text.prefix(10), text.dropFirst(10))
        guard DayText.isDay(day), rest.first?.isWholeNumber != true, let month = Int(day.dropFirst(5).prefix(2)),
            (1...12).contains(month), let number = Int(day.suffix(2))
        else { return text }
        return "\(number) \(months[month - 1])" + (isOneYear ? "" : " \(day.prefix(4))") + rest
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
