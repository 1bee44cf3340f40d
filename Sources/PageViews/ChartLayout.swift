import Foundation

/// Where the places and the numbers of a chart are, in a box of 800 by 260.
struct ChartLayout: Sendable {
    static let left = 78.0
    static let right = 790.0
    static let top = 12.0
    static let bottom = 225.0
    /// How many steps of the height of a bar make a unit: finer than a screen shows, and whole numbers are short.
    private static let steps = 4.0

    /// The letters of an axis, by the width of the screen; the style has the same sizes.
    enum Letters: Double {
        case wide = 12
        case narrow = 24

        /// How wide so many letters are, about.
        func width(_ count: Int) -> Double { Double(count) * rawValue * 0.55 }
    }

    /// The number of places.
    let count: Int
    /// The greatest number of the axis, more than 0.
    let end: Double

    /// The width of a place.
    var step: Double { (Self.right - Self.left) / Double(max(1, count)) }

    /// The width of a bar; that of a single one is limited.
    var width: Double { min(step * 0.8, 60) }

    /// How many places lie from one label to the next, so that they do not touch.
    ///
    /// The first and the last one may stand beside the middle of their places, each by half of its width.
    func places(between letters: Int, _ size: Letters) -> Int {
        let width = size.width(letters)
        return width + size.rawValue <= step ? 1 : max(1, Int(((width * 2 + size.rawValue) / step).rounded(.up)))
    }

    /// The middle of a place, from the left.
    func middle(_ place: Int) -> Double { Self.left + step * (Double(place) + 0.5) }

    /// Where a number is, from the top.
    func y(_ value: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * value / end }

    /// The height of a number over the ground, in steps.
    func height(_ value: Double) -> Int {
        Int(((Self.bottom - Self.top) * Self.steps * min(max(0, value / end), 1)).rounded())
    }

    /// A width as a part of a place; no digit is before its point.
    func part(_ width: Double) -> String {
        let text = Self.text(width / step, decimals: 4)
        return text.hasPrefix("0.") ? String(text.dropFirst()) : text
    }

    /// The transformation of shapes in which a place is 1 wide, and a step 1 high: from the ground upwards.
    ///
    /// - Parameter start: How far the shape of a place is from its left.
    func transform(from start: Double) -> String {
        let (x, y) = (Self.text(Self.left + start, decimals: 2), Self.text(Self.bottom))
        return "translate(\(x) \(y))scale(\(Self.text(step, decimals: 4)) -\(1 / Self.steps))"
    }

    /// A number with a few decimals, and without zeros at its end.
    static func text(_ value: Double, decimals: Int = 1) -> String {
        let power = pow(10, Double(decimals))
        let text = "\((value * power).rounded() / power)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
