import Foundation
import Mustache

/// A chart as SVG shows it: places and sizes in a box of 800 by 260.
struct ChartView: Sendable {
    let chartTitle: String
    let description: String
    let titleID: String
    let descriptionID: String
    let endID: String
    let bars: [Bar]
    let whiskers: [Whisker]
    /// One for each place, over its bars; empty if there are too many places to point at one.
    let places: [Place]
    let lines: [GridLine]
    let ticks: [Tick]
    let legend: [LegendItem]
    let hasIncomplete: Bool
    let hasRanges: Bool

    struct Bar: Sendable, MustacheParent {
        let x: String
        let y: String
        let width: String
        let height: String
        let style: String

        // Charts have many bars, and reflection takes its time.
        func child(named name: String) -> Any? {
            switch name {
            case "x": x
            case "y": y
            case "width": width
            case "height": height
            case "style": style
            default: nil
            }
        }
    }

    /// A column of the chart that says its numbers if somebody points at it, touches it or comes to it by the keyboard.
    struct Place: Sendable, MustacheParent {
        let x: String
        let width: String
        let link: String?
        /// Where its text is, and which end of its lines is there.
        let textX: String
        let anchor: String
        /// The place, and each number.
        let texts: [String]

        /// About as wide as the longest line, in widths of the letter m.
        private var boxWidth: String {
            let tenths = (texts.map(\.count).max() ?? 0) * 56 / 10
            return "\(tenths / 10).\(tenths % 10)"
        }

        /// A line has five quarters of the size of its letters.
        private var boxHeight: String { "\(Double(texts.count * 5 + 1) / 4)" }

        func child(named name: String) -> Any? {
            switch name {
            case "x": x
            case "width": width
            // Never nil: the name would be looked for in the figure.
            case "link": link ?? false
            case "textX": textX
            case "anchor": anchor
            case "texts": texts
            case "boxWidth": boxWidth
            case "boxHeight": boxHeight
            case "name": texts.joined(separator: ", ")
            default: nil
            }
        }
    }

    struct Whisker: Sendable, MustacheParent {
        let x: String
        let top: String
        let bottom: String
        let left: String
        let right: String

        func child(named name: String) -> Any? {
            switch name {
            case "x": x
            case "top": top
            case "bottom": bottom
            case "left": left
            case "right": right
            default: nil
            }
        }
    }

    struct GridLine: Sendable {
        let y: String
        let label: String
    }

    struct Tick: Sendable {
        let x: String
        /// Whether it is left out on narrow screens.
        let isMinor: Bool
        let label: String
    }

    struct LegendItem: Sendable {
        let style: String
        let name: String
    }

    private static let left = 78.0
    private static let right = 790.0
    private static let top = 12.0
    private static let bottom = 225.0
    /// Nobody can point at one of more places.
    private static let mostPlaces = 400

    /// The charts of a figure, each below the one before.
    static func all(_ data: ChartData, id: String, title: String) -> [ChartView] {
        ([data] + data.others).enumerated().map { number, one in
            ChartView(one, id: number == 0 ? id : "\(id)-\(number + 1)", title: one.name ?? title)
        }
    }

    /// Lays a chart out.
    private init(_ data: ChartData, id: String, title: String) {
        chartTitle = title
        titleID = id + "-chart-title"
        descriptionID = id + "-chart-description"
        endID = id + "-chart-end"
        let number = ChartNumber(isShare: data.isShare)
        let totals = data.places.indices.map { place in data.series.reduce(0) { $0 + ($1.values[place] ?? 0) } }
        let greatest = max(totals.max() ?? 0, data.ranges.compactMap { $0?.upperBound }.max() ?? 0)
        let scale = Self.scale(for: greatest, isShare: data.isShare)
        func y(_ value: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * value / scale.end }
        let step = (Self.right - Self.left) / Double(max(1, data.places.count))
        func middle(_ place: Int) -> Double { Self.left + step * (Double(place) + 0.5) }
        // Limit the width of a single bar.
        let width = min(step * 0.8, 60)
        var bars: [Bar] = []
        for place in data.places.indices {
            var sum = 0.0
            for (number, series) in data.series.enumerated() {
                guard let value = series.values[place], value > 0 else { continue }
                bars.append(
                    Bar(
                        x: Self.text(middle(place) - width / 2), y: Self.text(y(sum + value)),
                        width: Self.text(width), height: Self.text(max(0.5, y(sum) - y(sum + value))),
                        style: "series-\(number + 1)" + (data.isIncomplete[place] ? " incomplete" : "")))
                sum += value
            }
        }
        self.bars = bars
        places =
            data.places.count > Self.mostPlaces
            ? []
            : data.places.indices.map { place in
                // Where there is more room.
                let isRight = middle(place) > (Self.left + Self.right) / 2
                return Place(
                    x: Self.text(middle(place) - step / 2), width: Self.text(step),
                    link: data.links.isEmpty ? nil : data.links[place],
                    textX: Self.text(middle(place) + (isRight ? -1 : 1) * (width / 2 + 8)),
                    anchor: isRight ? "end" : "start", texts: Self.texts(data, place, number))
            }
        whiskers = zip(data.places.indices, data.ranges).compactMap { place, range in
            guard let range, range.upperBound > 0 else { return nil }
            let half = min(6, step * 0.25)
            return Whisker(
                x: Self.text(middle(place)), top: Self.text(y(range.upperBound)),
                bottom: Self.text(y(range.lowerBound)), left: Self.text(middle(place) - half),
                right: Self.text(middle(place) + half))
        }
        lines = stride(from: 0, through: scale.end * 1.001, by: scale.step).map { value in
            GridLine(y: Self.text(y(value)), label: number.mark(value, step: scale.step, end: scale.end))
        }
        let every = max(1, Int((Double(data.places.count) / 8).rounded(.up)))
        let isOneYear = data.places.first?.prefix(4) == data.places.last?.prefix(4)
        ticks = data.places.indices.filter { $0 % every == 0 }.map { place in
            Tick(
                x: Self.text(middle(place)), isMinor: place / every % 2 == 1,
                label: ChartNumber.place(data.places[place], isOneYear: isOneYear))
        }
        legend = data.series.enumerated().map { LegendItem(style: "series-\($0 + 1)", name: $1.name) }
        hasIncomplete = data.isIncomplete.contains(true)
        hasRanges = data.ranges.contains { $0 != nil }
        description = Self.description(data, totals, number)
    }

    /// What is said of a place: its label, the number of each series, and its range.
    private static func texts(_ data: ChartData, _ place: Int, _ number: ChartNumber) -> [String] {
        var texts = [data.places[place] + (data.isIncomplete[place] ? ", not complete yet" : "")]
        texts += data.series.map { "\($0.name): \(number.text($0.values[place]))" }
        if !data.ranges.isEmpty, let range = data.ranges[place] {
            texts.append("between \(number.text(range.lowerBound)) and \(number.text(range.upperBound))")
        }
        return texts
    }

    private static func description(_ data: ChartData, _ totals: [Double], _ number: ChartNumber) -> String {
        guard let first = data.places.first, let last = data.places.last else { return "No data." }
        let names = data.series.map(\.name).joined(separator: ", ")
        let greatest = totals.indices.max { totals[$0] < totals[$1] } ?? 0
        let open = data.isIncomplete.count { $0 }
        return "\(names), from \(first) to \(last). The greatest is \(number.text(totals[greatest])), at "
            + "\(data.places[greatest]). "
            + (open > 0 ? "\(open) of \(data.places.count) are not complete yet. " : "")
            + "The table below has all figures."
    }

    /// Round numbers for the vertical axis.
    private static func scale(for greatest: Double, isShare: Bool) -> (step: Double, end: Double) {
        guard greatest > 0 else { return (1, 1) }
        let raw = greatest / 4
        let power = pow(10, floor(log10(raw)))
        let step = [1, 2, 2.5, 5, 10].first { $0 * power >= raw * 0.999 } ?? 10
        let rounded = isShare ? step * power : max(step * power, greatest < 4 ? 1 : 0)
        return (rounded, rounded * (greatest / rounded * 0.999).rounded(.up))
    }

    /// A coordinate with one place: finer than a screen shows, and charts have thousands of them.
    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
