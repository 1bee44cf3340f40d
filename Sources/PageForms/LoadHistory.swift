package import CampaignData
package import PageViews
package import PostbackStore

/// The loads of a screen: a table, and a form for each kind that takes the last one back.
package struct LoadHistory: Sendable {
    /// The most loads of each kind.
    private static let shown: Int32 = 20

    private let loads: [StoredLoad]

    /// Reads the loads of these kinds.
    package init(_ kinds: [LoadKind], of store: PostbackStore) async throws {
        var loads: [StoredLoad] = []
        for kind in kinds { loads += try await store.loads(of: [kind], limit: Self.shown) }
        self.loads = loads.sorted { $0.load > $1.load }
    }

    /// The loads, the newest first.
    package var figure: FigureView {
        let numbers = ["Added", "Changed", "Unchanged", "Removed"].map { TableHeader($0, isNumber: true) }
        return FigureView(
            id: "loads", heading: "Last loads",
            remark:
                "A load by the command line counts, too. “session” is a session of this page, with the token or the "
                + "user whose it was.",
            headers: ["Load", "Of", "Time (UTC)", "By"] + numbers + ["State", "SHA-256 of the file", "File"],
            rows: loads.map { load in
                let changes = load.changes
                let counts = [changes.added, changes.changed, changes.unchanged, changes.removed]
                return [
                    TableCell("\(load.load)", isHeader: true), TableCell(load.kind.rawValue),
                    TableCell(load.loadedAt.shown), TableCell(load.author),
                ]
                    + counts.map { TableCell(NumberText.decimal("\($0)", places: 0), exact: "\($0)") }
                    + [TableCell(load.state), TableCell(load.digests), TableCell(load.files)]
            }, advice: "Nothing was loaded yet.")
    }

    /// The forms that take the last loads back.
    package func forms(_ target: String, _ csrf: String) -> [FormView] {
        loads.filter(\.canBeTakenBack).map { load in
            FormView(
                id: "take-back-\(load.kind.rawValue)", heading: "Take the last load of \(load.kind.rawValue) back",
                hint:
                    "Load \(load.load), \(load.loadedAt.shown) UTC, by \(load.author): \(load.changes.text). Its rows "
                    + "become as they were before.",
                target: target, csrf: csrf,
                hidden: [Fact("kind", load.kind.rawValue), Fact("load", "\(load.load)")],
                buttons: [FormButton("Take back load \(load.load)", "take-back")])
        }
    }
}
