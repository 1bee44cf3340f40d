import Foundation

/// A chart as SVG shows it: places and sizes in a box of 800 by 260.
struct ChartView: Sendable {
    let chartTitle: String
    let description: String
    let titleID: String
    let descriptionID: String
    let endID: String
    let bars: ChartBars
    /// Over the bars; empty if there are too many places to point at one.
    let halves: [Half]
    /// The area of a place.
    let hitX: String
    let hitWidth: String
    let lines: [GridLine]
    let ticks: [Tick]
    let legend: [LegendItem]
    let hasIncomplete: Bool
    let hasRanges: Bool

    /// The places of the left or the right half: their texts are on the side where there is more room.
    struct Half: Sendable {
        /// Which end of the lines of a text is beside its bar.
        let side: String
        let textX: String
        /// What each place has: its area, and a box behind its text.
        let placeID: String
        /// As wide as the longest line, about, in widths of the letter m.
        let boxWidth: String
        let boxHeight: String
        /// Places as HTML.
        let places: [String]

        init(_ places: [ChartPlace], isRight: Bool, id: String, from distance: Double) {
            side = isRight ? "end" : "start"
            textX = ChartLayout.text(isRight ? -distance : distance, decimals: 0)
            placeID = "\(id)-\(side)"
            boxWidth = ChartLayout.text(Double(places.flatMap(\.texts).map(\.count).max() ?? 0) * 0.56)
            // A line has five quarters of the size of its letters.
            boxHeight = ChartLayout.text(Double((places.map(\.texts.count).max() ?? 0) * 5 + 1) / 4, decimals: 2)
            self.places = places.map { [placeID, textX] in $0.html(box: placeID, textX: textX) }
        }
    }

    struct GridLine: Sendable {
        let y: String
        let label: String
    }

    struct Tick: Sendable {
        let x: String
        /// Which part of the label is there.
        let anchor: String
        /// Whether it is left out on narrow screens.
        let isMinor: Bool
        let label: String
    }

    struct LegendItem: Sendable {
        let style: String
        let name: String
    }

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
        let layout = ChartLayout(count: data.places.count, end: scale.end)
        bars = ChartBars(data, layout)
        hitX = ChartLayout.text(-layout.step / 2)
        hitWidth = ChartLayout.text(layout.step)
        halves =
            data.places.count > Self.mostPlaces
            ? []
            : [false, true].map { isRight in
                let places = data.places.indices.filter { isRight == ($0 * 2 >= data.places.count) }.map { place in
                    ChartPlace(
                        middle: ChartLayout.text(layout.middle(place), decimals: 0),
                        link: data.links.isEmpty ? nil : data.links[place], texts: Self.texts(data, place, number))
                }
                return Half(places, isRight: isRight, id: id, from: layout.width / 2 + 8)
            }.filter { !$0.places.isEmpty }
        lines = stride(from: 0, through: scale.end * 1.001, by: scale.step).map { value in
            GridLine(y: ChartLayout.text(layout.y(value)), label: number.mark(value, step: scale.step, end: scale.end))
        }
        ticks = Self.ticks(data, layout)
        legend = data.series.enumerated().map { LegendItem(style: "series-\($0 + 1)", name: $1.name) }
        hasIncomplete = data.isIncomplete.contains(true)
        hasRanges = data.ranges.contains { $0 != nil }
        description = Self.description(data, totals, number)
    }

    /// The labels of the horizontal axis: so far apart that they do not touch, and none left or right of the axis.
    private static func ticks(_ data: ChartData, _ layout: ChartLayout) -> [Tick] {
        let isOneYear = data.places.first?.prefix(4) == data.places.last?.prefix(4)
        func label(_ place: Int) -> String { ChartNumber.place(data.places[place], isOneYear: isOneYear) }
        let least = max(1, Int((Double(data.places.count) / 8).rounded(.up)))
        let longest = stride(from: 0, to: data.places.count, by: least).map { label($0).count }.max() ?? 0
        let every = max(least, layout.places(between: longest, .wide))
        // Every so many of them stay on narrow screens.
        let major = max(1, Int((Double(layout.places(between: longest, .narrow)) / Double(every)).rounded(.up)))
        return stride(from: 0, to: data.places.count, by: every).map { place in
            let text = label(place)
            let (middle, half) = (layout.middle(place), ChartLayout.Letters.narrow.width(text.count) / 2)
            let isFirst = middle - half < ChartLayout.left
            let isLast = !isFirst && middle + half > ChartLayout.right
            let x = isFirst ? ChartLayout.left : isLast ? ChartLayout.right : middle
            return Tick(
                x: ChartLayout.text(x), anchor: isFirst ? "start" : isLast ? "end" : "middle",
                isMinor: place / every % major != 0, label: text)
        }
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
}
