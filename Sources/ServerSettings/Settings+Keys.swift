extension Settings {
    /// Every setting, by the key that the configuration reads it under.
    package enum Key: String, Sendable, CaseIterable {
        case httpHost = "http.host"
        case httpPort = "http.port"
        case adminHost = "admin.host"
        case adminPort = "admin.port"
        case adminNames = "admin.names"
        case adminSocket = "admin.socket"
        case adminCertificatePath = "admin.tls.certificate.path"
        case adminPrivateKeyPath = "admin.tls.private.key.path"
        case adminAllowsPlaintext = "admin.allow.plaintext"
        case adminToken = "admin.token"
        case adminUserHeader = "admin.user.header"
        case adminTrustedProxies = "admin.trusted.proxies"
        case metricsAccess = "metrics.access"
        case databaseURL = "database.url"
        case reportsDatabaseURL = "reports.database.url"
        case workerAddresses = "worker.addresses"
        case reportDeadline = "report.deadline"
        case keyRingPath = "keyring.path"
        case conversionPolicy = "conversion.policy"
        case receivedFrom = "received.from"
        case forwardedHeader = "forwarded.header"
        case trustedProxies = "trusted.proxies"
        case proxyProtocol = "proxy.protocol"
        case certificatePath = "tls.certificate.path"
        case privateKeyPath = "tls.private.key.path"
        case ingestBatchSize = "ingest.batch.size"
        case ingestQueueCapacity = "ingest.queue.capacity"
        case ingestDeadline = "ingest.deadline"
        case maximumConnections = "http.max.connections"
        case connectionLifetime = "http.connection.lifetime"
        case connectionRequests = "http.connection.requests"
        case quarantineMaximumRows = "quarantine.max.rows"
        case quarantineMaximumBytes = "quarantine.max.bytes"
        case bodyRetention = "body.retention.days"
        case logRetention = "log.retention.days"
        case addressRetention = "address.retention.days"
        case readerRetention = "reader.retention.days"
        case loadRetention = "load.retention.days"
        case trailRetention = "trail.retention.days"
        case appStoreBodyRetention = "app.store.body.retention.days"
        case appStoreBodyBytes = "app.store.body.bytes"
        case appleAds = "apple.ads"
        case appleAdsURL = "apple.ads.url"
        case recountInterval = "recount.interval.hours"
        case forwarding = "forwarding"
        case forwardAllowAddresses = "forward.allow.addresses"
        case deadLetterRetention = "dead.letter.retention.days"
        case webAdTimeToLive = "web.ad.ttl"
        case verifier = "verifier"
        case logLevel = "log.level"
        case logFormat = "log.format"

        /// The key in the environment, such as `HTTP_HOST`.
        package var environmentName: String {
            rawValue.uppercased().replacing(".", with: "_")
        }

        /// The option of the command line, such as `--http-host`.
        var option: String {
            "--" + rawValue.replacing(".", with: "-")
        }

        /// Whether the value must never be shown.
        var isSecret: Bool {
            self == .adminToken || self == .databaseURL || self == .reportsDatabaseURL
        }

        /// What the value is, in a word, for `--help`.
        var valueName: String {
            switch self {
            case .httpPort, .adminPort: "port"
            case .httpHost, .adminHost: "host"
            case .adminNames: "names"
            case .adminToken: "token"
            case .databaseURL, .reportsDatabaseURL, .appleAdsURL: "url"
            case .workerAddresses: "addresses"
            case .keyRingPath: "folder"
            case .forwardAllowAddresses: "hosts"
            case .adminSocket, .adminCertificatePath, .adminPrivateKeyPath, .certificatePath, .privateKeyPath: "file"
            case .forwardedHeader: "header"
            case .adminUserHeader: "headers"
            case .trustedProxies, .adminTrustedProxies: "networks"
            case .ingestBatchSize, .ingestQueueCapacity, .maximumConnections, .connectionRequests,
                .quarantineMaximumRows:
                "count"
            case .quarantineMaximumBytes, .appStoreBodyBytes: "bytes"
            case .bodyRetention, .logRetention, .addressRetention, .readerRetention, .loadRetention, .trailRetention,
                .deadLetterRetention, .appStoreBodyRetention:
                "days"
            case .recountInterval: "hours"
            case .ingestDeadline, .reportDeadline, .webAdTimeToLive, .connectionLifetime: "seconds"
            case .adminAllowsPlaintext, .conversionPolicy, .receivedFrom, .proxyProtocol, .metricsAccess, .forwarding,
                .appleAds, .verifier, .logLevel, .logFormat:
                "word"
            }
        }

        /// What the setting means, for `--help`; its default in brackets.
        var meaning: String {
            switch self {
            case .httpHost: "public listener (127.0.0.1)"
            case .httpPort: "its port (8080)"
            case .adminHost: "admin listener (127.0.0.1); beyond loopback it needs TLS"
            case .adminPort: "its port (8081)"
            case .adminNames: "names by which it may be asked, beside localhost, its host and addresses (none)"
            case .adminSocket: "Unix socket of the same listener, mode 0660, beside its port (none)"
            case .adminCertificatePath: "certificate of the admin listener and its issuers, PEM, for TLS"
            case .adminPrivateKeyPath: "its private key, PEM, mode 0600"
            case .adminAllowsPlaintext: "on or off: the admin listener may be beyond loopback without TLS (off)"
            case .adminToken:
                "token with all scopes, 32 characters or more; without one only the tokens of tokens.json let in"
            case .adminUserHeader:
                "two headers with a comma, in which a sign-on proxy names the user of the page, and the scopes (none)"
            case .adminTrustedProxies: "addresses and networks of that proxy, and of others that may name requests"
            case .metricsAccess: "open or token: whether /metrics needs a token with the scope read (open)"
            case .databaseURL: "libpq connection string; required"
            case .reportsDatabaseURL:
                "the same of a standby, for the reports of the admin listener (that of DATABASE_URL)"
            case .workerAddresses:
                "addresses of a cluster's workers, if they are others than the nodes know: NODE:PORT=HOST:PORT,…"
            case .reportDeadline: "seconds until a report's first rows must be there (30)"
            case .keyRingPath: "folder of the key ring (keys)"
            case .conversionPolicy: "monotonic or first (monotonic)"
            case .receivedFrom: "on or off: keep source address and User-Agent of deliveries (on)"
            case .forwardedHeader: "header with the source address, if a proxy sets one"
            case .trustedProxies: "addresses and networks of these proxies"
            case .proxyProtocol: "on or off: these proxies send a PROXY protocol header (off)"
            case .certificatePath: "certificate of the public listener and its issuers, PEM, for TLS"
            case .privateKeyPath: "its private key, PEM, mode 0600"
            case .ingestBatchSize: "most postbacks a commit (500)"
            case .ingestQueueCapacity: "most postbacks waiting for a commit, in all lanes (10000)"
            case .ingestDeadline: "seconds that a postback waits for its commit (5)"
            case .maximumConnections: "most clients of the public listener (4096)"
            case .connectionLifetime: "seconds until a client's connection closes behind its next answer (3600)"
            case .connectionRequests: "most requests of a client's connection (10000)"
            case .quarantineMaximumRows: "rows of each half of the quarantine (50000)"
            case .quarantineMaximumBytes: "bytes of each half of the quarantine (268435456)"
            case .bodyRetention: "days until the bodies of a day are dropped, or never (never)"
            case .logRetention: "days until a day of the log is dropped, or never (never)"
            case .addressRetention: "days until source addresses and User-Agents are removed, or never (never)"
            case .readerRetention: "days until a reader of the log that keeps a day is dropped, or never (never)"
            case .loadRetention: "days until a load of the operator can't be taken back any more, or never (never)"
            case .trailRetention: "days until an entry of the trail is removed, 30 or more, or never (never)"
            case .appStoreBodyRetention:
                "days until bodies of notifications of the App Store are removed, or never; 0 is never too (never)"
            case .appStoreBodyBytes: "most bytes of notifications of the App Store in memory (33554432)"
            case .appleAds: "on or off: this server exchanges tokens of Apple Ads at Apple (on)"
            case .appleAdsURL: "another server in place of Apple's, on this machine only, for tests (none)"
            case .recountInterval: "hours from one recount of all figures to the next, or never (never)"
            case .forwarding: "on or off: this server sends postbacks to destinations (on)"
            case .forwardAllowAddresses:
                "names, addresses and networks of destinations that are not public, separated by commas (none)"
            case .deadLetterRetention: "days until a delivery that failed for good is removed, or never (30)"
            case .webAdTimeToLive: "seconds that an attributable link is good for (86400)"
            case .verifier: "fixed-key or openssl: who verifies postbacks (fixed-key)"
            case .logLevel: "trace, debug, info, notice, warning, error or critical (info)"
            case .logFormat: "json or text (json)"
            }
        }
    }
}
