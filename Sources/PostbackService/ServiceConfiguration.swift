package import Access
package import AdAttribution
package import AppleAds
package import EventLog
package import HTTPListener
package import PageRequests
package import PostbackIngest
package import PostbackStore
package import Reports

/// What the service needs to know beside the key ring and the database.
package struct ServiceConfiguration: Sendable {
    /// Where one listener is bound.
    package struct ListenerAddress: Sendable, Equatable {
        /// A host name or address.
        package var host: String
        /// A TCP port; 0 takes any free one.
        package var port: Int

        /// A listener at this host and port.
        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// Whether only programs of this machine reach it, as far as its text tells.
        ///
        /// `localhost` is loopback (RFC 6761, section 6.3). Of another name only the resolver knows where it leads, so it
        /// is none.
        package var isLoopback: Bool {
            if let address = IPAddress(host) {
                return address.family == .ipv4 ? address.bits >> 24 == 127 : address.bits == 1
            }
            return host.lowercased() == "localhost"
        }
    }

    /// The public listener: postbacks.
    package var http = ListenerAddress(host: "127.0.0.1", port: 8080)
    /// The admin listener: signing, reports, metrics, health.
    package var admin = ListenerAddress(host: "127.0.0.1", port: 8081)
    /// The names by which the admin listener may be asked over TCP, beside that of its host.
    package var adminNames = AdminNames()
    /// Where the admin listener can be reached without TCP, beside `admin`; nil if nowhere.
    package var adminSocket: SocketPath?
    /// The certificate of the admin listener on TCP; without one it is not encrypted, as its socket never is.
    package var adminCertificate: CertificateFiles?
    /// The token with all scopes; without one only those of the key ring let somebody in.
    package var adminToken: BearerToken?
    /// The peers of the admin listener whose ids of requests and traces are taken; nil if nobody's are.
    package var adminTrustedProxies: TrustedProxies?
    /// The proxy that signs people on to the page; nil if none does.
    package var signOnProxy: SignOnProxy?
    /// Whether metrics need a token.
    package var guardsMetrics = false
    /// The certificate of the public listener; without one it is not encrypted.
    package var certificate: CertificateFiles?
    /// The proxies that begin each connection to the public listener with a header of the PROXY protocol; nil if
    /// connections have no such header.
    package var headerProxies: TrustedProxies?
    /// The peers of the public listener whose ids of requests and traces are taken; nil if nobody's are.
    package var trustedProxies: TrustedProxies?
    /// Where the source address and User-Agent of a delivery are taken from: from the connection.
    package var origins = DeliveryOriginReader.connection
    /// What a later delivery may do to a conversion value.
    package var conversionPolicy = ConversionPolicy.monotonic
    /// How much the quarantine may hold.
    package var quarantineLimits = QuarantineLimits()
    /// How long bodies, log and source addresses stay: for ever.
    package var retention = RetentionRules()
    /// Whether the key ring names apps of the App Store at the start.
    package var takesNotifications = false
    /// The most bytes of notifications of the App Store that are in memory at once; more are answered 503.
    package var notificationBytes = 32 * 1024 * 1024
    /// How many days the bodies of notifications of the App Store stay: for ever.
    package var storeBodyDays: Int32?
    /// How often all figures are recounted: never.
    package var recountInterval: Duration?
    /// How tokens of Apple Ads are exchanged.
    package var appleAds = AppleAdsConfiguration()
    /// How postbacks are forwarded.
    package var forwarding = ForwardingConfiguration()
    /// How many postbacks may wait for a commit, and how long.
    package var queues = QueueLimits()
    /// How many clients may be connected to the public listener; if there are more, idle ones make room.
    package var maximumConnections = 4_096
    /// After this time a connection to the public listener closes behind its next answer.
    package var connectionLifetime = Duration.seconds(3_600)
    /// The greatest number of requests of a connection to the public listener.
    package var connectionRequests = 10_000
    /// How many clients may be connected to the admin listener, and how many to its socket.
    package var maximumAdminConnections = 1_024

    /// How long an attributable link is good for where its request does not say: a day.
    package var webAdTimeToLive = WebAdParameters.TimeToLive.day
    /// How many requests for signed payloads may ask the database at once; more are answered 503.
    package var maximumSignedPayloadRequests = 64

    /// The defaults.
    package init() {}

    /// How long reports may take.
    package var reportLimits = ReportLimits()

    /// How many connections to the database the service uses beside one for each lane and those for reports.
    ///
    /// They are for the quarantine, new dimensions, the daily tables, and one for readiness and impression counts. A
    /// recount on a schedule holds one more for as long as it takes, forwarding two, and events of the App Store two.
    package var databaseConnections: Int {
        4 + (recountInterval == nil ? 0 : 1) + (forwarding.isOn ? 2 : 0) + (takesNotifications ? 2 : 0)
    }
}
