import CampaignData
import Glibc

/// What the commands `loads` and `undo` of mapping, spend and schemes do.
enum LoadCommands {
    /// Prints the loads of these kinds, the newest first.
    static func list(_ kinds: [LoadKind], limit: Int32, _ options: SettingsOptions) async throws {
        let loads = try await StoreSession.with(options) { try await $0.loads(of: kinds, limit: limit) }
        let names = [
            "load", "kind", "time (UTC)", "by", "added", "changed", "unchanged", "removed", "state", "files", "SHA-256",
        ]
        var table = AlignedTable(names, isRight: names.indices.map { $0 == 0 || (4...7).contains($0) })
        let text = table.text(
            loads.map { load in
                let changes = load.changes
                return [
                    "\(load.load)", load.kind.rawValue, load.loadedAt.shown, load.author, "\(changes.added)",
                    "\(changes.changed)", "\(changes.unchanged)", "\(changes.removed)", load.state, load.files,
                    load.digests,
                ]
            })
        try StandardOutput.write(text)
    }

    /// Takes the last load of a kind back, and says which that was.
    static func undo(_ kind: LoadKind, _ number: Int64?, _ options: SettingsOptions) async throws {
        let load = try await StoreSession.with(options) { try await $0.takeBack(kind, number, by: .currentUser) }
        try StandardOutput.summary("taken back: \(load.text): \(load.changes.text)")
    }
}

extension LoadAuthor {
    /// The user of the machine who runs this command; the number of one without a name.
    static var currentUser: LoadAuthor {
        let number = geteuid()
        guard let entry = getpwuid(number), let name = entry.pointee.pw_name else { return .systemUser("\(number)") }
        return .systemUser(String(cString: name))
    }
}
