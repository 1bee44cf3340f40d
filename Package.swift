// swift-tools-version: 6.1
// The house from top to bottom: two thin programs, the service (HTTP in, outcomes out), the store (SQL), the
// PostgreSQL client, and the field itself, which knows no I/O. Dependencies run one way, downwards.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "AdAttribution",
    products: [
        .library(name: "AdAttribution", targets: ["AdAttribution"]),
        .executable(name: "adsign", targets: ["adsign"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    ],
    targets: [
        // The field: impressions, postbacks, keys, conversion values. No I/O, no clock, no HTTP, no SQL.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "AdAttribution", dependencies: ["COpenSSL"], swiftSettings: strict),

        // libpq behind a Swift interface; knows nothing of attribution.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgresClient",
            dependencies: ["CLibPQ", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),

        // SQL: what counts once, monotonic values, aggregates, quarantine, reports, migrations.
        .target(
            name: "PostbackStore",
            dependencies: ["AdAttribution", "PostgresClient", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),

        .executableTarget(
            name: "adsign",
            dependencies: ["AdAttribution", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),

        // Tests, one level for each layer; those that need PostgreSQL or the built programs get them from `make test`.
        .testTarget(
            name: "AdAttributionTests", dependencies: ["AdAttribution"], resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresClientTests",
            dependencies: ["PostgresClient", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .testTarget(
            name: "AdsignTests", dependencies: ["adsign", "AdAttribution"], swiftSettings: strict),
    ]
)
