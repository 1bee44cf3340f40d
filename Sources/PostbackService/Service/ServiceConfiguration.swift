public import AdAttribution
public import PostbackStore

/// What the service needs to know beside the key ring and the database.
public struct ServiceConfiguration: Sendable {
    /// Where one listener is bound.
    public struct Listener: Sendable, Equatable {
        /// A host name or address.
        public var host: String
        /// A TCP port; 0 takes any free one.
        public var port: Int

        /// A listener at this host and port.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// The public listener: postbacks.
    public var http = Listener(host: "127.0.0.1", port: 8080)
    /// The admin listener: signing, reports, metrics, health.
    public var admin = Listener(host: "127.0.0.1", port: 8081)
    /// The secret of the admin listener; without one, signing and reports answer 401.
    public var adminToken: BearerToken?
    /// Where the source address and User-Agent of a delivery are taken from: from the connection.
    public var origins = DeliveryOriginReader.connection
    /// What a later delivery may do to a conversion value.
    public var conversionPolicy = ConversionPolicy.monotonic
    /// How much the quarantine may hold.
    public var quarantineLimits = QuarantineLimits()
    /// The most postbacks of one batch.
    public var maximumBatch = 500
    /// How many postbacks may wait for a batch, divided evenly among the lanes; more are answered 503.
    public var queueCapacity = 10_000
    /// How many clients may be connected to the public listener; more wait in the backlog.
    public var maximumConnections = 4_096

    /// How long an attributable link is good for where its request does not say: a day.
    public var webAdTimeToLive = WebAdParameters.TimeToLive.day
    /// How many requests for signed payloads may ask the database at once; more are answered 503.
    public var maximumSignedPayloadRequests = 64

    /// The defaults.
    public init() {}

    /// How many connections to the database the service uses beside one for each lane: for the quarantine, new
    /// dimensions, the daily tables, and two for reports, readiness and impression counts.
    public var databaseConnections: Int { 5 }
}
