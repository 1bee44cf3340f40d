// swift-tools-version: 6.1
// The house from top to bottom: two thin programs, the service and its listeners, what is kept in SQL, the PostgreSQL
// client, and the field itself, which knows no I/O. Dependencies run one way, downwards; docs/architecture.md draws them.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Without optimisation the tables of one key take about a second, too long for tests that start a hundred servers with
// the verifier that ships. The Public Suffix List is parsed by each program that needs it, and bytes are scanned and
// written by all of them. SwiftPM refuses such flags in a dependency, so they are left out in a checkout of one.
let isDependency = Context.packageDirectory.split(separator: "/").contains("checkouts")
let optimized: [SwiftSetting] =
    isDependency ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// `make fuzz` sets this: our own targets are built for libFuzzer, the packages that they use are not.
let isFuzzing = Context.environment["ADATTRIBUTION_FUZZ"] == "1"

let package = Package(
    name: "AdAttribution",
    products: [
        .library(name: "AdAttribution", targets: ["AdAttribution"]),
        .executable(name: "PostbackServer", targets: ["PostbackServer"]),
        .executable(name: "adsign", targets: ["adsign"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", exact: "2.1.1"),
        .package(url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", exact: "1.0.2"),
    ],
    targets: [
        // Texts of bytes and numbers: base64, hexadecimal, decimal.
        .target(name: "Encodings", swiftSettings: strict + optimized),

        // Exact amounts and currencies. Knows nothing else.
        .target(name: "Money", swiftSettings: strict),
        .testTarget(name: "MoneyTests", dependencies: ["Money"], swiftSettings: strict),

        // Files of the operator: opened without waiting, without following links where that is dangerous, and bounded.
        .target(name: "LocalFiles", swiftSettings: strict),
        .testTarget(name: "LocalFilesTests", dependencies: ["LocalFiles"], swiftSettings: strict),

        // Which domains can be registered: the Public Suffix List of public-suffix-list/, embedded in the program.
        .target(name: "CPublicSuffixList"),
        .target(name: "PublicSuffixes", dependencies: ["CPublicSuffixList"], swiftSettings: strict + optimized),
        .testTarget(
            name: "PublicSuffixesTests", dependencies: ["PublicSuffixes", "TestSupport"],
            resources: [.copy("Fixtures")], swiftSettings: strict),

        // JSON as it is accepted and written here: a strict scanner, a reader of documents with places, and a writer.
        .target(name: "StrictJSON", dependencies: ["Encodings"], swiftSettings: strict + optimized),

        // ECDSA on P-192 and P-256: libcrypto, and a fast verifier for keys that never change. Beside it what else is
        // libcrypto's: SHA-256, HMAC, Ed25519. Knows nothing else.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "ECDSA", dependencies: ["COpenSSL", "Encodings"], swiftSettings: strict + optimized),

        // The field: impressions, postbacks, keys, conversion values. No I/O, no clock, no HTTP, no SQL.
        .target(
            name: "AdAttribution", dependencies: ["ECDSA", "Encodings", "PublicSuffixes", "StrictJSON"],
            swiftSettings: strict),

        // What conversion values mean: schemes, and the formats of others. No I/O, no clock, no SQL.
        .target(
            name: "ConversionSchemes", dependencies: ["AdAttribution", "Money", "StrictJSON"], swiftSettings: strict),

        // Who gets postbacks: destinations, macros, the bytes of a request, signatures. No I/O, no clock, no SQL.
        .target(
            name: "Destinations", dependencies: ["AdAttribution", "ECDSA", "Encodings", "StrictJSON"],
            swiftSettings: strict),

        // What the App Store signs: notifications, transactions, receipts, and what they are worth. No I/O, no clock, no SQL.
        .target(
            name: "AppStoreData", dependencies: ["AdAttribution", "ECDSA", "Encodings", "StrictJSON"],
            swiftSettings: strict),
        .testTarget(
            name: "AppStoreDataTests",
            dependencies: ["AdAttribution", "AppStoreData", "ECDSA", "Encodings", "StrictJSON", "TestSupport"],
            exclude: ["Fixtures", "Oracle"], swiftSettings: strict),

        // Postbacks and App Store events under test keys, made up from a seed, for demos, load and tests.
        .target(
            name: "PostbackSimulation",
            dependencies: ["AdAttribution", "AppStoreData", "ECDSA", "Encodings", "StrictJSON"],
            swiftSettings: strict + optimized),

        // libpq behind a Swift interface; knows nothing of attribution.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // A part of glibc that Swift's module of it leaves out.
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "PostgresClient",
            dependencies: [
                "CLibPQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // The schema: the SQL files of migrations/ and definitions/, embedded in the program.
        .target(name: "CSchema"),

        // Which schema this build knows: its migrations and definitions, and whether a database has them.
        .target(
            name: "DatabaseSchema",
            dependencies: ["AdAttribution", "CSchema", "Encodings", "PostgresClient"],
            swiftSettings: strict),

        // Tables in files, CSV and NDJSON: bytes in, rows of typed values out. No I/O; knows no campaign.
        .target(
            name: "TabularFiles", dependencies: ["Encodings", "StrictJSON"], swiftSettings: strict + optimized),
        .testTarget(name: "TabularFilesTests", dependencies: ["TabularFiles", "TestSupport"], swiftSettings: strict),

        // Counting: what counts once, monotonic values, lanes, dimensions, clusters, folding of figures.
        .target(
            name: "PostbackStore",
            dependencies: [
                "AdAttribution", "DatabaseSchema", "PostgresClient",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // The quarantine: refused bodies, kept within limits until they can be verified again.
        .target(
            name: "PostbackQuarantine", dependencies: ["AdAttribution", "PostbackStore", "PostgresClient"],
            swiftSettings: strict),
        .testTarget(
            name: "PostbackQuarantineTests",
            dependencies: ["AdAttribution", "PostbackQuarantine", "PostbackStore", "PostgresClient", "TestSupport"],
            swiftSettings: strict),

        // The log: its readers, events for other systems, retention, and whether state, bodies and log fit together.
        .target(
            name: "EventLog",
            dependencies: ["AdAttribution", "Encodings", "PostbackStore", "PostgresClient", "StrictJSON"],
            swiftSettings: strict),

        // Reports: which there are, what may be asked, and their rows as text.
        .target(
            name: "Reports",
            dependencies: [
                "AdAttribution", "Encodings", "Money", "PostbackStore", "PostgresClient", "StrictJSON",
                "TabularFiles",
            ],
            swiftSettings: strict),

        // What the operator loads: names of campaigns, cost, currency rates, schemes; and the links of web ads.
        .target(
            name: "CampaignData",
            dependencies: [
                "AdAttribution", "AuditTrail", "ConversionSchemes", "ECDSA", "Money", "PostbackStore", "PostgresClient",
                "TabularFiles",
            ],
            swiftSettings: strict),

        // What a server does again and again beside requests, and on how many cores.
        .target(
            name: "BackgroundWork",
            dependencies: [
                "PostbackStore",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // Files of postbacks and events: import, export, archived days, and reconciliation with those of others.
        .target(
            name: "Archives",
            dependencies: [
                "AdAttribution", "BackgroundWork", "Encodings", "EventLog", "LocalFiles", "Observability",
                "PostbackQuarantine", "PostbackStore", "PostgresClient", "StrictJSON",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // Listeners: TLS, the header of a proxy, sizes and times of requests; knows no postback.
        .target(
            name: "HTTPListener",
            dependencies: [
                "LocalFiles", "StrictJSON",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // Prometheus metrics and the log; knows no postback.
        .target(
            name: "Observability",
            dependencies: [
                "StrictJSON",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),

        // From a request to its answer: receiver, commit queue, source address, signed payloads, key ring.
        .target(
            name: "PostbackIngest",
            dependencies: [
                "AdAttribution", "AppStoreData", "BackgroundWork", "CampaignData", "HTTPListener", "LocalFiles",
                "Observability", "PostbackQuarantine", "PostbackStore", "PostgresClient", "StrictJSON",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // App Store events: from a request to its answer, what is stored of them, their quarantine.
        .target(
            name: "AppStoreEvents",
            dependencies: [
                "AdAttribution", "AppStoreData", "ECDSA", "Encodings", "HTTPListener", "Observability",
                "PostbackIngest",
                "PostbackStore", "PostgresClient", "StrictJSON",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppStoreEventsTests",
            dependencies: [
                "AdAttribution", "AppStoreData", "AppStoreEvents", "LocalFiles", "Observability", "PostbackIngest",
                "PostbackStore", "PostgresClient", "StrictJSON", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),

        // Asks the App Store Server API, with a token of the developer's key. No SQL.
        .target(
            name: "AppStoreClient",
            dependencies: [
                "AdAttribution", "AppStoreData", "ECDSA", "Encodings", "StrictJSON",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppStoreClientTests",
            dependencies: [
                "AdAttribution", "AppStoreClient", "AppStoreData", "ReceiverSupport", "TestSupport",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // Apple Ads: tokens that wait, which server exchanges which ones, and what Apple said of them.
        .target(
            name: "AppleAds",
            dependencies: [
                "AdAttribution", "AppStoreClient", "BackgroundWork", "Observability", "PostbackStore", "PostgresClient",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppleAdsTests",
            dependencies: [
                "AdAttribution", "AppStoreClient", "AppleAds", "PostbackStore", "ReceiverSupport", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // Who may do what with the admin listener: tokens, their file, scopes. No HTTP, no SQL.
        .target(
            name: "Access", dependencies: ["ECDSA", "Encodings", "LocalFiles", "StrictJSON"], swiftSettings: strict),
        .testTarget(name: "AccessTests", dependencies: ["Access"], swiftSettings: strict),

        // The trail: who did what with the service, when and from where.
        .target(
            name: "AuditTrail",
            dependencies: [
                "Access", "BackgroundWork", "Observability", "PostbackStore", "PostgresClient", "StrictJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // Forwarding: the store of destinations, who sends for which one, requests, retries, dead letters.
        .target(
            name: "Forwarding",
            dependencies: [
                "AdAttribution", "AuditTrail", "BackgroundWork", "CampaignData", "Destinations", "Encodings",
                "EventLog", "LocalFiles", "Observability", "PostbackStore", "PostgresClient", "StrictJSON",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // The routes of the admin listener: signing, loads, reports, events, health; their description, and the token.
        .target(
            name: "AdminAPI",
            dependencies: [
                "Access", "AdAttribution", "AppStoreData", "AppleAds", "AuditTrail", "CampaignData",
                "ConversionSchemes",
                "DatabaseSchema",
                "Destinations", "Encodings", "EventLog", "Forwarding", "HTTPListener", "LocalFiles", "Money",
                "Observability", "PostbackIngest", "PostbackStore", "PostgresClient", "Reports", "StrictJSON",
                "TabularFiles",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // HTML of the page: tables, charts, forms, and the templates. Knows no figure, no request and no SQL.
        .target(
            name: "PageViews",
            dependencies: ["Encodings", .product(name: "Mustache", package: "swift-mustache")],
            resources: [
                .embedInCode("Assets/page.css"), .embedInCode("Assets/icon.svg"),
                .embedInCode("Assets/live.js"), .embedInCode("Assets/copy.js"),
                .embedInCode("Templates/live.mustache"),
                .embedInCode("Templates/layout.mustache"), .embedInCode("Templates/signin.mustache"),
                .embedInCode("Templates/message.mustache"), .embedInCode("Templates/report.mustache"),
                .embedInCode("Templates/filters.mustache"), .embedInCode("Templates/figure.mustache"),
                .embedInCode("Templates/chart.mustache"), .embedInCode("Templates/table.mustache"),
                .embedInCode("Templates/tools.mustache"),
                .embedInCode("Templates/block.mustache"), .embedInCode("Templates/form.mustache"),
                .embedInCode("Templates/errors.mustache"),
            ],
            swiftSettings: strict),

        // Figures of the page: filters, chosen days, what is asked, and tables and tiles of the rows. Knows no request.
        .target(
            name: "PageFigures",
            dependencies: [
                "AdAttribution", "Money", "PageViews", "PostbackStore", "PostgresClient", "Reports", "TabularFiles",
            ],
            swiftSettings: strict),

        // Requests for the page: who is signed in, which screen is meant, forms, drafts, responses. Knows no screen.
        .target(
            name: "PageRequests",
            dependencies: [
                "Access", "AdAttribution", "AdminAPI", "AuditTrail", "Encodings", "Observability", "PageFigures",
                "PageViews",
                "PostbackIngest", "PostbackStore", "PostgresClient", "Reports",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // What an operator hands in by a form of the page: fields, files, loads that ask first. Knows no screen.
        .target(
            name: "PageForms",
            dependencies: [
                "AdAttribution", "AdminAPI", "AuditTrail", "CampaignData", "ConversionSchemes", "Destinations",
                "Encodings", "PageRequests", "PageViews", "PostbackStore", "PostgresClient", "TabularFiles",
            ],
            swiftSettings: strict),

        // Screens of the page about destinations: the list, one of them, one delivery, and what their buttons do.
        .target(
            name: "DestinationPages",
            dependencies: [
                "Access", "AdAttribution", "AdminAPI", "AuditTrail", "CampaignData", "Destinations", "Encodings",
                "Forwarding", "PageFigures", "PageForms", "PageRequests", "PageViews", "PostbackStore",
                "PostgresClient", "Reports",
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DestinationPagesTests", dependencies: ["DestinationPages", "Destinations", "PageViews"],
            swiftSettings: strict),

        // The page of the admin listener: its other screens, and all of them wired.
        .target(
            name: "AdminPage",
            dependencies: [
                "Access", "AdAttribution", "AdminAPI", "AppStoreData", "AppStoreEvents", "AuditTrail", "CampaignData",
                "ConversionSchemes", "DestinationPages", "Encodings", "EventLog", "Forwarding", "Money",
                "Observability", "PageFigures", "PageForms", "PageRequests", "PageViews", "PostbackIngest",
                "PostbackQuarantine", "PostbackStore", "PostgresClient", "Reports", "StrictJSON", "TabularFiles",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // The service, wired: listeners, queues, and what runs beside them.
        .target(
            name: "PostbackService",
            dependencies: [
                "Access", "AdAttribution", "AdminAPI", "AdminPage", "AppStoreEvents", "AppleAds", "AuditTrail",
                "BackgroundWork", "CMalloc",
                "CampaignData", "Destinations", "EventLog", "Forwarding", "HTTPListener", "LocalFiles", "Observability",
                "PageRequests", "PostbackIngest", "PostbackQuarantine", "PostbackStore", "PostgresClient", "Reports",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // What an operator sets: options, the environment, files, and the check of all of it. Knows no command.
        .target(
            name: "ServerSettings",
            dependencies: [
                "Access", "AdAttribution", "AppStoreClient", "AppleAds", "AuditTrail", "Destinations", "EventLog",
                "Forwarding", "HTTPListener", "LocalFiles", "PageRequests", "PostbackIngest", "PostbackService",
                "PostbackStore", "PostgresClient", "Reports", "StrictJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ServerSettingsTests",
            dependencies: [
                "ServerSettings", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // The programs: read options, wire, run.
        .executableTarget(
            name: "PostbackServer",
            dependencies: [
                "Access", "AdAttribution", "AdminAPI", "AppStoreClient", "AppStoreData", "AppStoreEvents", "AppleAds",
                "Archives", "AuditTrail", "BackgroundWork", "CampaignData",
                "ConversionSchemes", "DatabaseSchema", "Destinations", "Encodings", "EventLog", "Forwarding",
                "HTTPListener", "LocalFiles", "Money", "Observability", "PostbackIngest", "PostbackService",
                "PostbackStore", "PostgresClient", "PublicSuffixes", "Reports", "ServerSettings", "StrictJSON",
                "TabularFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "adsign",
            dependencies: [
                "AdAttribution", "AppStoreData", "Destinations", "ECDSA", "Encodings", "LocalFiles",
                "PostbackSimulation", "PublicSuffixes", "StrictJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // What `make bench` measures with.
        .executableTarget(
            name: "bench",
            dependencies: [
                "AdAttribution", "AppStoreData", "BackgroundWork", "PostbackSimulation", "PostbackStore",
                "PostgresClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Benchmarks/Bench", swiftSettings: strict),

        // What takes untrusted bytes, and what must hold for any bytes: for `make fuzz` and for the tests.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "AdAttribution", "AdminAPI", "AppStoreData", "Archives", "CampaignData", "ConversionSchemes",
                "Destinations", "ECDSA",
                "Encodings", "HTTPListener", "Money", "PostbackIngest", "PostgresClient", "StrictJSON", "TabularFiles",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            path: "Fuzz/Targets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: strict),

        // Tests, one level for each layer; those that need PostgreSQL or the built programs get them from `make test`.
        .target(
            name: "TestSupport",
            dependencies: [
                "AdAttribution", "AppStoreData", "AuditTrail", "CampaignData", "ConversionSchemes", "DatabaseSchema",
                "PostbackSimulation",
                "PostbackStore", "PostgresClient", "TabularFiles",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "AdAttributionTests",
            dependencies: ["AdAttribution", "Encodings", "PostbackSimulation", "StrictJSON", "TestSupport"],
            resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "ConversionSchemesTests",
            dependencies: ["AdAttribution", "ConversionSchemes", "Money", "TestSupport"],
            resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "DestinationsTests",
            dependencies: [
                "AdAttribution", "Destinations", "ECDSA", "Encodings", "StrictJSON", "TestSupport",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "StrictJSONTests", dependencies: ["Encodings", "StrictJSON", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "EncodingsTests", dependencies: ["Encodings", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ECDSATests", dependencies: ["AdAttribution", "COpenSSL", "ECDSA", "Encodings", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresClientTests",
            dependencies: ["PostgresClient", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .testTarget(
            name: "DatabaseSchemaTests",
            dependencies: [
                "AdAttribution", "DatabaseSchema", "PostbackQuarantine", "PostbackStore", "PostgresClient",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PostbackStoreTests",
            dependencies: [
                "AdAttribution", "DatabaseSchema", "Encodings", "EventLog", "PostbackSimulation",
                "PostbackStore", "PostgresClient", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EventLogTests",
            dependencies: [
                "AdAttribution", "CampaignData", "ECDSA", "Encodings", "EventLog", "PostbackQuarantine",
                "PostbackStore", "PostgresClient", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ReportsTests",
            dependencies: [
                "AdAttribution", "CampaignData", "ConversionSchemes", "DatabaseSchema", "Money", "PostbackSimulation",
                "PostbackStore", "PostgresClient", "Reports", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AuditTrailTests",
            dependencies: [
                "Access", "AuditTrail", "PostbackStore", "PostgresClient", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CampaignDataTests",
            dependencies: [
                "Access", "AdAttribution", "AuditTrail", "CampaignData", "ConversionSchemes", "PostbackStore",
                "PostgresClient",
                "TabularFiles", "TestSupport",
            ],
            swiftSettings: strict),
        // A receiver of forwarded postbacks, on a socket of the machine.
        .target(
            name: "ReceiverSupport",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/ReceiverSupport", swiftSettings: strict),
        .testTarget(
            name: "ForwardingTests",
            dependencies: [
                "AdAttribution", "AuditTrail", "BackgroundWork", "CampaignData", "ConversionSchemes", "Destinations",
                "Encodings", "EventLog", "Forwarding", "LocalFiles", "Observability", "PostbackSimulation",
                "PostbackStore", "PostgresClient", "ReceiverSupport", "StrictJSON", "TabularFiles", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(name: "BackgroundWorkTests", dependencies: ["BackgroundWork"], swiftSettings: strict),
        .testTarget(
            name: "ArchivesTests",
            dependencies: [
                "AdAttribution", "Archives", "EventLog", "PostbackStore", "PostgresClient", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPListenerTests",
            dependencies: [
                "HTTPListener", "LocalFiles", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PostbackIngestTests",
            dependencies: [
                "AdAttribution", "HTTPListener", "LocalFiles", "Observability", "PostbackIngest", "PostbackStore",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AdminAPITests",
            dependencies: [
                "Access", "AdminAPI", "AuditTrail", "Destinations", "Encodings", "Forwarding", "Observability",
                "PostbackIngest", "PostbackStore", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(name: "PageViewsTests", dependencies: ["PageViews"], swiftSettings: strict),
        .testTarget(
            name: "PageFiguresTests",
            dependencies: ["PageFigures", "PageViews", "PostgresClient", "Reports"],
            swiftSettings: strict),
        .testTarget(
            name: "PageRequestsTests",
            dependencies: ["AdminAPI", "PageRequests", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "PageFormsTests",
            dependencies: ["AdAttribution", "Encodings", "PageForms", "PageRequests"],
            swiftSettings: strict),
        .testTarget(
            name: "PostbackServiceTests",
            dependencies: [
                "Access", "AdAttribution", "AdminAPI", "AdminPage", "AuditTrail", "BackgroundWork", "Destinations",
                "Forwarding", "HTTPListener", "Observability", "PostbackIngest", "PostbackService", "PostbackStore",
                "Reports", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "Observability",
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AdsignTests",
            dependencies: [
                "adsign", "AdAttribution", "AppStoreData", "Destinations", "PostbackSimulation", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BenchTests",
            dependencies: [
                "Destinations", "bench", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PostbackServerTests",
            dependencies: [
                "AdAttribution", "Destinations", "EventLog", "Forwarding", "PostbackServer", "PostbackService",
                "PostbackSimulation",
                "PostgresClient", "ReceiverSupport", "TestSupport", "adsign",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict),
    ],
    // `#embed` is of C23.
    cLanguageStandard: .c2x
)

if isFuzzing {
    for target in package.targets where target.type == .regular {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-O"]))
    }
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["CLibFuzzer", "FuzzTargets"], path: "Fuzz/Main", swiftSettings: strict,
            // The linker that is used by default fails at this.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
}

if Context.environment["ADATTRIBUTION_SANITIZER"] == "thread" {
    package.targets.append(.target(name: "ThreadSanitizerLocks", path: "Tests/ThreadSanitizerLocks"))
    // `adsign` too, since its tests start the program of the same build.
    for target in package.targets where ["TestSupport", "PostgresClientTests", "adsign"].contains(target.name) {
        target.dependencies.append("ThreadSanitizerLocks")
    }
}

// `make test` runs the part of the tests under ThreadSanitizer that has threads of its own and needs no framework: the
// second build is short then.
if Context.environment["ADATTRIBUTION_SHORT_SANITIZE"] == "1" {
    let tests: Set = ["ECDSATests", "ObservabilityTests", "PostgresClientTests"]
    let needed: Set = [
        "Access", "AdAttribution", "AppStoreData", "AuditTrail", "BackgroundWork", "CLibPQ", "COpenSSL",
        "CPublicSuffixList", "CSchema",
        "CampaignData", "ConversionSchemes", "DatabaseSchema", "ECDSA", "Encodings", "LocalFiles", "Money",
        "Observability", "PostbackSimulation", "PostbackStore", "PostgresClient", "PublicSuffixes", "StrictJSON",
        "TabularFiles", "TestSupport", "ThreadSanitizerLocks",
    ]
    package.targets.removeAll { !tests.union(needed).contains($0.name) }
    package.products.removeAll { $0.name != "AdAttribution" }
}
