import Foundation

/// Migrated databases that are copied for tests, since migrating takes longer than copying.
///
/// Each is made once for a number of lanes, and nobody may connect to it.
actor DatabaseTemplates {
    /// On the throw-away PostgreSQL.
    static let plain = DatabaseTemplates(make: TestDatabase.makeTemplate)
    /// On the Citus cluster, and distributed.
    static let distributed = DatabaseTemplates(make: CitusCluster.makeTemplate)

    private let make: @Sendable (_ name: String, _ lanes: Int?) async throws -> Void
    private var made: [Int?: Task<String, any Error>] = [:]

    private init(make: @escaping @Sendable (_ name: String, _ lanes: Int?) async throws -> Void) {
        self.make = make
    }

    /// The name of the template with this number of lanes.
    func name(lanes: Int?) async throws -> String {
        let making =
            made[lanes]
            ?? Task { [make] in
                let name = "template_" + UUID().uuidString.lowercased().replacing("-", with: "")
                try await make(name, lanes)
                return name
            }
        made[lanes] = making
        return try await making.value
    }
}
