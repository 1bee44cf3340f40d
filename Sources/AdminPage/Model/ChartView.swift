/// A chart as SVG shows it: places and sizes in a box of 800 by 260.
package struct ChartView: Sendable {
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

    struct Bar: Sendable {
        let x: String
        let y: String
        let width: String
        let height: String
        let style: String
        let label: String
    }

    struct Whisker: Sendable {
        let x: String
        let top: String
        let bottom: String
        let left: String
        let right: String
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
}
