import AdAttribution

extension ConversionScheme {
    /// What is legal, and yet worth a look.
    package var notices: [String] {
        var notices: [String] = []
        let fine = unmapped
        if !fine.isEmpty, fine != [0...63] {
            notices.append("unmapped fine values: \(fine.map(\.shown).joined(separator: ", "))")
        }
        for window in windows.indices {
            let coarse = unmappedCoarse(window)
            if !coarse.isEmpty {
                let names = coarse.map(\.rawValue).joined(separator: ", ")
                notices.append("unmapped coarse values of window \(window): \(names)")
            }
        }
        let unknown = fineWithUnknownRevenue
        if !unknown.isEmpty {
            notices.append("fine values with unknown revenue: \(unknown.map(\.shown).joined(separator: ", "))")
        }
        for (index, window) in windows.enumerated() where !window.coarseWithUnknownRevenue.isEmpty {
            let names = window.coarseWithUnknownRevenue.map(\.rawValue).joined(separator: ", ")
            notices.append("coarse values of window \(index) with unknown revenue: \(names)")
        }
        if fine == [0...63], windows.allSatisfy(\.coarse.isEmpty) { notices.append("no value has a meaning") }
        return notices
    }
}
