import AdAttribution
import AppStoreData
import PostgresClient

/// The statements that store notifications and their bodies.
enum NotificationStatements {
    /// A notification that is new, and its place in the order of its lane.
    struct Placed: Sendable {
        let delivery: NotificationDelivery
        let lane: Int16
        let position: Int64
    }

    /// The step that reads the position of a lane, and makes other writers of it wait until the transaction ends.
    static func lock(_ lane: Int16) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(lane)
        return PostgresPipelineStep(locking, bindings)
    }

    /// The step that looks deliveries up: it returns the ordinal of each known one, and the digest of its first body.
    static func find(_ deliveries: [NotificationDelivery]) -> PostgresPipelineStep {
        PostgresPipelineStep(finding, key.bindings(deliveries))
    }

    /// The step that adds notifications.
    static func add(_ placed: [Placed]) -> PostgresPipelineStep {
        PostgresPipelineStep(adding, columns.bindings(placed))
    }

    /// The step that keeps the bodies of deliveries.
    static func keepBodies(of deliveries: [NotificationDelivery]) -> PostgresPipelineStep {
        PostgresPipelineStep(keeping, body.bindings(deliveries))
    }

    /// The step that moves a lane to a position.
    static func move(_ lane: Int16, to position: Int64) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(position)
        return PostgresPipelineStep(moving, bindings)
    }

    private static let locking = PostgresStatement(
        "store_lane_lock", "SELECT position FROM attribution.store_lane WHERE lane = $1 FOR UPDATE")

    private static let moving = PostgresStatement(
        "store_lane_move", "UPDATE attribution.store_lane SET position = $2 WHERE lane = $1")

    /// LIMIT 1 makes the planner find each row by its key, and not read the whole table.
    private static let finding = PostgresStatement(
        "store_notifications_find",
        """
        SELECT offered.ordinal, stored.body_sha256
          FROM \(key.rows())
         CROSS JOIN LATERAL (SELECT known.body_sha256
                               FROM attribution.store_notification AS known
                              WHERE known.environment = offered.environment
                                AND known.notification_id = offered.notification_id
                              LIMIT 1) AS stored
        """)

    private static let adding = PostgresStatement(
        "store_notifications",
        """
        INSERT INTO attribution.store_notification (\(columns.names()))
        SELECT \(columns.names()) FROM \(columns.rows())
        """)

    private static let keeping = PostgresStatement(
        "store_bodies",
        """
        INSERT INTO attribution.store_body (\(body.names()))
        SELECT \(body.names()) FROM \(body.rows())
        ON CONFLICT DO NOTHING
        """)

    private static let key: [StoreColumn<NotificationDelivery>] = [
        .text("environment") { $0.key.environment.rawValue },
        .uuid("notification_id") { $0.key.id },
    ]

    private static let body: [StoreColumn<NotificationDelivery>] = [
        .text("environment") { $0.key.environment.rawValue },
        .uuid("notification_id") { $0.key.id },
        .time("received_at") { $0.receivedAt },
        .bytes("body") { $0.body },
    ]

    private static let columns: [StoreColumn<Placed>] = [
        .text("environment") { $0.delivery.key.environment.rawValue },
        .uuid("notification_id") { $0.delivery.key.id },
        .integer("version") { Int64($0.delivery.notification.version.rawValue) },
        .text("type") { $0.delivery.notification.type },
        .text("subtype") { $0.delivery.notification.subtype },
        .text("bundle_id") { $0.delivery.notification.bundleID },
        .integer("app_id") { $0.delivery.notification.appID },
        .text("original_transaction_id") { $0.delivery.notification.originalTransactionID },
        .text("transaction_id") { $0.delivery.transactionID },
        .integer("status") { $0.delivery.notification.status },
        .milliseconds("signed_at") { $0.delivery.notification.signedAt },
        .time("received_at") { $0.delivery.receivedAt },
        .integer("lane") { Int64($0.lane) },
        .integer("position") { $0.position },
        .bytes("body_sha256") { $0.delivery.bodySHA256 },
    ]
}
