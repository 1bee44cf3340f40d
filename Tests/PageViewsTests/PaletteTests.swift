import Foundation
import PageViews
import Testing

@Suite("Colors of charts")
struct PaletteTests {
    /// Of a scale on which 1 can just be seen side by side, and 100 is from black to white.
    private static let leastDifference = 15.0
    /// WCAG 2.2, 1.4.11: of a bar on its background.
    private static let leastContrast = 3.0

    /// Ways to see, as matrices of linear RGB.
    ///
    /// Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
    /// at full severity.
    private static let sights: [(name: String, matrix: [[Double]])] = [
        ("all colors", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        (
            "protanopia",
            [
                [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
            ]
        ),
        (
            "deuteranopia",
            [
                [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
            ]
        ),
        (
            "tritanopia",
            [
                [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900],
            ]
        ),
    ]

    /// The colors of the style in light and in dark, by their names.
    private static func schemes() throws -> [(name: String, colors: [String: [Double]])] {
        let style = String(decoding: PageAssets.style, as: UTF8.self)
        let blocks = style.matches(of: /:root \{(.*?)\}/.dotMatchesNewlines()).map { block in
            Dictionary(
                block.1.matches(of: /--([a-z0-9-]+): #([0-9a-f]{6})/).map { (String($0.1), linear(String($0.2))) }
            ) { _, last in last }
        }
        try #require(blocks.count == 2)
        return [("light", blocks[0]), ("dark", blocks[1])]
    }

    /// Linear RGB of six digits.
    private static func linear(_ digits: String) -> [Double] {
        stride(from: 16, through: 0, by: -8).map { shift in
            let part = Double((Int(digits, radix: 16) ?? 0) >> shift & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
    }

    private static func product(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    /// Relative luminance, as WCAG defines it.
    private static func luminance(_ color: [Double]) -> Double {
        zip([0.2126, 0.7152, 0.0722], color).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// CIELAB of linear RGB, D65.
    private static func lab(_ color: [Double]) -> (l: Double, a: Double, b: Double) {
        let toXYZ = [
            [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041],
        ]
        let parts = zip(product(toXYZ, color.map { min(1, max(0, $0)) }), [0.95047, 1, 1.08883]).map { part, white in
            let share = part / white
            return share > 216.0 / 24_389 ? cbrt(share) : (24_389.0 / 27 * share + 16) / 116
        }
        return (116 * parts[1] - 16, 500 * (parts[0] - parts[1]), 200 * (parts[1] - parts[2]))
    }

    /// The difference CIEDE2000.
    ///
    /// Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula" (2005).
    private static func difference(
        _ one: (l: Double, a: Double, b: Double), _ other: (l: Double, a: Double, b: Double)
    ) -> Double {
        let mean = (hypot(one.a, one.b) + hypot(other.a, other.b)) / 2
        func share(_ chroma: Double) -> Double { (pow(chroma, 7) / (pow(chroma, 7) + pow(25, 7))).squareRoot() }
        let stretch = 1 + 0.5 * (1 - share(mean))
        let (a1, a2) = (one.a * stretch, other.a * stretch)
        let (c1, c2) = (hypot(a1, one.b), hypot(a2, other.b))
        func hue(_ a: Double, _ b: Double) -> Double {
            let angle = atan2(b, a) * 180 / .pi
            return angle < 0 ? angle + 360 : angle
        }
        let (h1, h2) = (hue(a1, one.b), hue(a2, other.b))
        let isGray = c1 * c2 == 0
        var turn = isGray ? 0 : h2 - h1
        if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
        let (light, chroma) = (other.l - one.l, c2 - c1)
        func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
        func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
        let tint = 2 * (c1 * c2).squareRoot() * sine(turn / 2)
        let (meanLight, meanChroma) = ((one.l + other.l) / 2, (c1 + c2) / 2)
        let sum = h1 + h2
        let meanHue = isGray ? sum : abs(h1 - h2) <= 180 ? sum / 2 : sum < 360 ? sum / 2 + 180 : sum / 2 - 180
        let waves: [(Double, Double)] = [
            (-0.17, cosine(meanHue - 30)), (0.24, cosine(2 * meanHue)), (0.32, cosine(3 * meanHue + 6)),
            (-0.2, cosine(4 * meanHue - 63)),
        ]
        let weight = waves.reduce(1) { $0 + $1.0 * $1.1 }
        let square = (meanLight - 50) * (meanLight - 50)
        let ofLight = light / (1 + 0.015 * square / (20 + square).squareRoot())
        let ofChroma = chroma / (1 + 0.045 * meanChroma)
        let ofTint = tint / (1 + 0.015 * meanChroma * weight)
        let angle = (meanHue - 275) / 25
        let rotation = -2 * share(meanChroma) * sine(60 * exp(-angle * angle))
        let squares = [ofLight, ofChroma, ofTint].reduce(0) { $0 + $1 * $1 }
        return (squares + rotation * ofChroma * ofTint).squareRoot()
    }

    @Test("The difference of two colors is that of the published examples")
    func published() {
        // Pairs 1, 7, 17 and 25 of the paper's table 1.
        for (one, other, expected) in [
            ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425), ((50, 0, 0), (50, -1, 2), 2.3669),
            ((50, 2.5, 0), (73, 25, -18), 27.1492),
            ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ] as [((Double, Double, Double), (Double, Double, Double), Double)] {
            #expect(abs(Self.difference(one, other) - expected) < 0.0001, "\(one)")
        }
    }

    @Test("No two colors of a chart are one to a color-blind reader, and each stands out from its background")
    func apart() throws {
        for (scheme, colors) in try Self.schemes() {
            let series = (1...5).map { "series-\($0)" }
            let background = Self.luminance(try #require(colors["background"]))
            for (place, name) in series.enumerated() {
                let color = try #require(colors[name])
                let ends = [Self.luminance(color), background].sorted()
                #expect((ends[1] + 0.05) / (ends[0] + 0.05) >= Self.leastContrast, "\(scheme) \(name)")
                for other in series[..<place] {
                    let second = try #require(colors[other])
                    for (sight, matrix) in Self.sights {
                        let difference = Self.difference(
                            Self.lab(Self.product(matrix, color)), Self.lab(Self.product(matrix, second)))
                        #expect(difference >= Self.leastDifference, "\(scheme), \(sight): \(name) and \(other)")
                    }
                }
            }
        }
    }
}
