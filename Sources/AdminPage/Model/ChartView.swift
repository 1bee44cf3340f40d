import Foundation
import Mustache

/// A chart as SVG shows it: places and sizes in a box of 800 by 260.
struct ChartView: Sendable {
    let chartTitle: String
    let description: String
    let titleID: String
    let descriptionID: String
    let bars: [Bar]
    let whiskers: [Whisker]
    let lines: [GridLine]
    let ticks: [Tick]
    let legend: [LegendItem]
    let hasIncomplete: Bool

    struct Bar: Sendable, MustacheParent {
        let x: String
        let y: String
        let width: String
        let height: String
        let style: String
        let label: String

        // Charts have many bars, and reflection takes its time.
        func child(named name: String) -> Any? {
            switch name {
            case "x": x
            case "y": y
            case "width": width
            case "height": height
            case "style": style
            case "label": label
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
        let textY: String
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

    /// Lays the chart of a figure out.
    init(_ data: ChartData, id: String, title: String) {
        chartTitle = title
        titleID = id + "-chart-title"
        descriptionID = id + "-chart-description"
        let totals = data.places.indices.map { place in data.series.reduce(0) { $0 + $1.values[place] } }
        let greatest = max(totals.max() ?? 0, data.ranges.compactMap { $0?.upperBound }.max() ?? 0)
        let scale = Self.scale(for: greatest, isShare: data.isShare)
        func y(_ value: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * value / scale.end }
        let step = (Self.right - Self.left) / Double(max(1, data.places.count))
        // Limit the width of a single bar.
        let width = min(step * 0.8, 60)
        var bars: [Bar] = []
        for place in data.places.indices {
            var sum = 0.0
            for (number, series) in data.series.enumerated() where series.values[place] > 0 {
                let value = series.values[place]
                let height = max(0.5, y(sum) - y(sum + value))
                bars.append(
                    Bar(
                        x: Self.text(Self.left + step * (Double(place) + 0.5) - width / 2),
                        y: Self.text(y(sum + value)),
                        width: Self.text(width), height: Self.text(height),
                        style: "series-\(number + 1)" + (data.isIncomplete[place] ? " incomplete" : ""),
                        label: "\(data.places[place]), \(series.name): \(Self.label(value, data.isShare))"
                            + (data.isIncomplete[place] ? ", not complete yet" : "")))
                sum += value
            }
        }
        self.bars = bars
        whiskers = zip(data.places.indices, data.ranges).compactMap { place, range in
            guard let range, range.upperBound > 0 else { return nil }
            let middle = Self.left + step * (Double(place) + 0.5)
            let half = min(6, step * 0.25)
            return Whisker(
                x: Self.text(middle), top: Self.text(y(range.upperBound)), bottom: Self.text(y(range.lowerBound)),
                left: Self.text(middle - half), right: Self.text(middle + half))
        }
        lines = stride(from: 0, through: scale.end * 1.001, by: scale.step).map { value in
            GridLine(
                y: Self.text(y(value)), textY: Self.text(y(value) + 4), label: Self.label(value, data.isShare))
        }
        let every = max(1, Int((Double(data.places.count) / 8).rounded(.up)))
        ticks = data.places.indices.filter { $0 % every == 0 }.map { place in
            Tick(
                x: Self.text(Self.left + step * (Double(place) + 0.5)), isMinor: place / every % 2 == 1,
                label: data.places[place])
        }
        legend = data.series.enumerated().map { LegendItem(style: "series-\($0 + 1)", name: $1.name) }
        hasIncomplete = data.isIncomplete.contains(true)
        description = Self.description(data, totals)
    }

    private static func description(_ data: ChartData, _ totals: [Double]) -> String {
        guard let first = data.places.first, let last = data.places.last else { return "No data." }
        let names = data.series.map(\.name).joined(separator: ", ")
        let greatest = totals.indices.max { totals[$0] < totals[$1] } ?? 0
        let open = data.isIncomplete.count { $0 }
        return "\(names), from \(first) to \(last). The greatest is \(label(totals[greatest], data.isShare)), at "
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

    private static func label(_ value: Double, _ isShare: Bool) -> String {
        if isShare { return NumberText.share("\(value)") }
        let isWhole = value == value.rounded() || value >= 1_000
        return NumberText.decimal(isWhole ? "\(Int(value.rounded()))" : "\(value)", places: isWhole ? 0 : 2)
    }

    /// A coordinate with two places.
    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (abs(hundredths % 100) < 10 ? "0" : "") + "\(abs(hundredths % 100))"
    }
}
