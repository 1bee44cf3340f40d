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
    ],
    dependencies: [
    ],
    targets: [
        // The field: impressions, postbacks, keys, conversion values. No I/O, no clock, no HTTP, no SQL.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "AdAttribution", dependencies: ["COpenSSL"], swiftSettings: strict),

        // Tests, one level for each layer; those that need PostgreSQL or the built programs get them from `make test`.
        .testTarget(
            name: "AdAttributionTests", dependencies: ["AdAttribution"], resources: [.copy("Fixtures")],
            swiftSettings: strict),
    ]
)
