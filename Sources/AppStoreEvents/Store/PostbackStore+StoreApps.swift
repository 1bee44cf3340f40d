import AppStoreData
package import PostbackIngest
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Writes down the App Store ids that a key ring has for apps, so that reports find the postbacks beside customers.
    ///
    /// Nothing is written if all are there already. An app that has left the key ring keeps its id.
    package func noteStoreApps(of keyRing: KeyRingInForce) async throws {
        guard let trust = keyRing.current.store?.trust else { return }
        try await note(storeApps: trust.apps.values.sorted { $0.bundleID < $1.bundleID })
    }

    /// Writes down the ids of apps, which are in the order of their bundle ids.
    func note(storeApps apps: [StoreApp]) async throws {
        let known = apps.filter { $0.appID != nil }
        guard !known.isEmpty else { return }
        var bindings = PostgresBindings()
        bindings.append(known.map(\.bundleID))
        bindings.append(known.compactMap(\.appID))
        let parameters = bindings
        try await pool.withStatement("note_store_apps") { connection in
            _ = try connection.query(StoreAppStatements.note, parameters)
        }
    }
}

/// The statements about the ids of apps.
private enum StoreAppStatements {
    static let note = PostgresStatement(
        "store_apps_note",
        """
        INSERT INTO attribution.store_app_id (bundle_id, app_id)
        SELECT *
          FROM unnest($1::text[], $2::bigint[]) AS stated
        EXCEPT
        SELECT bundle_id, app_id FROM attribution.store_app_id
         ORDER BY 1
        ON CONFLICT (bundle_id) DO UPDATE SET app_id = excluded.app_id
        """)
}
