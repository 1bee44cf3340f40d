import AdAttribution
import AppStoreData
import AppleAds
import HTTPListener
import PostbackIngest
import StrictJSON

/// The schemas of bodies, made from the tables by which they are read and written.
///
/// Source: JSON Schema 2020-12, as OpenAPI 3.1 uses it.
enum OpenAPISchema: String, CaseIterable {
    case postback = "Postback"
    case postbackAnswer = "PostbackAnswer"
    case signedPayloadRequest = "SignedPayloadRequest"
    case signedPayload = "SignedPayload"
    case storeNotification = "StoreNotification"
    case storeNotificationAnswer = "StoreNotificationAnswer"
    case refusedRequest = "RefusedRequest"
    case error = "Error"
    case impression = "Impression"
    case impressions = "Impressions"
    case signedImpression = "SignedImpression"
    case signedImpressions = "SignedImpressions"
    case webAd = "WebAd"
    case webAdLink = "WebAdLink"
    case reloaded = "Reloaded"
    case status = "Status"
    case reports = "Reports"
    case report = "Report"
    case event = "Event"
    case events = "Events"
    case storeEvent = "StoreEvent"
    case storeEvents = "StoreEvents"
    case reader = "Reader"
    case trail = "Trail"
    case table = "Table"
    case load = "Load"
    case loads = "Loads"
    case takenBack = "TakenBack"
    case appleAdsToken = "AppleAdsToken"
    case appleAdsTokens = "AppleAdsTokens"
    case appleAdsIntake = "AppleAdsIntake"
    case scheme = "Scheme"
    case schemes = "Schemes"
    case mapping = "Mapping"
    case appNames = "AppNames"
    case destinations = "Destinations"
    case destinationStatus = "DestinationStatus"
    case destination = "Destination"
    case deadLetters = "DeadLetters"
    case problem = "Problem"
    case anything = "Anything"

    /// A reference to it.
    var reference: JSONDocument { ["$ref": "#/components/schemas/\(rawValue)"] }

    /// A value of a request; nil for answers.
    ///
    /// The postback is Apple's (docs/verify-by-hand.md), the network that of the demo key ring.
    var example: JSONDocument? {
        switch self {
        case .postback:
            [
                "version": "2.0", "ad-network-id": "com.example", "campaign-id": 42,
                "transaction-id": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "app-id": 525_463_029,
                "attribution-signature":
                    "MDYCGQD0AdGn5gUnSuVGk8Wi0IgxzWiKdBzwJrQCGQCJfkrI5bda93EC4Xm1H+MtNxstFmnVBn0=",
                "redownload": true, "source-app-id": 1_234_567_891, "conversion-value": 20,
            ]
        case .signedPayloadRequest:
            [
                "version": "4.0", "source_engagement_type": "click_to_App_Store", "source_domain": "example.com",
                "source_nonce": "Z4bT5vP3TKObRrq0oZ2uXw",
            ]
        case .storeNotification: ["signedPayload": "eyJhbGciOiJFUzI1NiIsIng1YyI6W119.e30.AA"]
        case .impressions:
            [
                "version": "4.0", "ad-network-id": "example123.skadnetwork", "source-identifier": 5239,
                "itunes-item-id": 525_463_029, "source-app-id": 1_234_567_891, "fidelity-type": 1,
            ]
        case .appleAdsTokens: ["app-id": 525_463_029, "token": "G9i5hC8lQJeGOfmS+MFycll/025oJEjtpZ+rs4AUkDE="]
        case .webAd:
            [
                "ad-network-id": "example123.skadnetwork", "source-identifier": 5239, "itunes-item-id": 525_463_029,
                "attribution-destination": "https://example.com",
            ]
        default: nil
        }
    }

    /// What a request has in its body.
    var content: JSONDocument {
        let schema: [(name: String, value: JSONDocument)] = [("schema", reference)]
        let body = JSONDocument.object(schema + (example.map { [("example", $0)] } ?? []))
        return .object([(name: self == .table ? "text/plain" : "application/json", value: body)])
    }

    /// The schema itself.
    var document: JSONDocument {
        switch self {
        case .postback:
            Self.object(
                PostbackVersions.apple.described.map(Self.property), isClosed: false,
                description:
                    "A postback of SKAdNetwork, or of AdAttributionKit if it has jws-string. Apple may add members")
        case .postbackAnswer:
            Self.object([
                ("outcome", ["type": "string", "enum": .array(PostbackOutcome.allCases.map { .string($0.rawValue) })]),
                ("detail", ["type": "string"]),
            ])
        case .signedPayloadRequest:
            Self.object(
                SignedPayloadRequest.described.map(Self.property),
                required: SignedPayloadRequest.described.map(\.name), isClosed: false)
        case .signedPayload: Self.object(SignedPayloadRequest.describedAnswer.map(Self.property))
        case .storeNotification:
            Self.object(
                [
                    ("signedPayload", ["type": "string", "description": "version 2: a JWS of the App Store"]),
                    (
                        "notification_type",
                        ["type": "string", "description": "version 1, with the shared secret in password"]
                    ),
                ], required: [], isClosed: false,
                description: "A notification of the App Store, with one of the two members. Apple may add members")
        case .storeNotificationAnswer:
            Self.object([
                ("outcome", ["type": "string", "enum": .array(Self.storeOutcomes.map { .string($0) })]),
                ("detail", ["type": "string"]),
            ])
        case .refusedRequest:
            Self.object(
                [
                    (
                        "outcome",
                        ["type": "string", "enum": .array(RequestError.Outcome.allCases.map { .string($0.rawValue) })]
                    ),
                    ("detail", ["type": "string"]),
                ], description: "The answer of the public listener to a request that it does not read to its end")
        case .error:
            Self.object([
                ("error", Self.object([("field", ["type": "string"]), ("rule", ["type": "string"])]))
            ])
        case .impression:
            Self.object(
                ImpressionField.allCases.map(\.described).map(Self.property),
                required: ["ad-network-id", "itunes-item-id"],
                description: "Which fields are needed depends on version, and on the format of the answer")
        case .impressions:
            [
                "oneOf": [
                    Self.impression.reference,
                    [
                        "type": "array", "maxItems": .integer(Int64(ImpressionSigning.maximumCount)),
                        "items": [
                            "anyOf": [
                                Self.impression.reference, ["description": "anything else gets its error in its place"],
                            ]
                        ],
                    ],
                ]
            ]
        case .signedImpression: Self.signedImpressionForms
        case .signedImpressions:
            [
                "oneOf": [
                    Self.signedImpression.reference,
                    [
                        "type": "array",
                        "items": ["oneOf": [Self.signedImpression.reference, Self.error.reference]],
                    ],
                ]
            ]
        case .webAd:
            Self.object(WebAdParameters.described.map(Self.property), required: WebAdParameters.requiredNames)
        case .webAdLink:
            Self.object(
                ["tag", "href", "attributionDestination", "attributionSourceNonce", "nonce", "expires-at"].map {
                    ($0, ["type": "string"])
                })
        case .reloaded:
            Self.object([("reloaded", ["type": "array", "items": Self.reloadedPart])])
        case .status:
            Self.object(
                [
                    ("status", ["type": "string", "enum": ["alive", "ready", "degraded"]]),
                    ("outages", ["type": "array", "items": Self.outage]),
                    ("refused", ["type": "array", "items": Self.refusedPart]),
                ], required: ["status"])
        case .reports: Self.reportList
        case .report:
            Self.object(
                [
                    ("report", ["type": "string"]), ("from", ["type": "string", "format": "date"]),
                    ("to", ["type": "string", "format": "date"]),
                    ("next_page", ["type": ["string", "null"], "description": "the value of the parameter page"]),
                    (
                        "rows",
                        ["type": "array", "items": ["type": "object", "description": "the columns of the report"]]
                    ),
                ], required: ["report", "next_page", "rows"])
        case .event: EventSchema.document
        case .events: Self.page(of: .event)
        case .storeEvent: EventSchema.notification
        case .storeEvents: Self.page(of: .storeEvent)
        case .reader: Self.object([("name", ["type": "string"]), ("cursor", ["type": "string"])])
        case .trail: Self.trailPage
        case .table: LoadSchema.table
        case .load: LoadSchema.load
        case .loads: LoadSchema.loads
        case .takenBack: LoadSchema.takenBack
        case .appleAdsToken:
            Self.object([
                ("app-id", ["type": "integer", "description": .string("must be \(AppID.rule)")]),
                ("token", ["type": "string", "description": .string("must be \(AppleAdsToken.rule)")]),
            ])
        case .appleAdsTokens:
            [
                "oneOf": [
                    Self.appleAdsToken.reference,
                    [
                        "type": "array", "minItems": 1, "maxItems": .integer(Int64(AppleAdsTokens.maximumCount)),
                        "items": [
                            "anyOf": [
                                Self.appleAdsToken.reference,
                                ["description": "anything else is among refused, by its index"],
                            ]
                        ],
                    ],
                ]
            ]
        case .appleAdsIntake:
            Self.object([
                ("accepted", ["type": "integer"]), ("duplicate", ["type": "integer"]),
                (
                    "refused",
                    [
                        "type": "array",
                        "items": Self.object([
                            ("index", ["type": "integer"]), ("field", ["type": "string"]),
                            ("rule", ["type": "string"]),
                        ]),
                    ]
                ),
            ])
        case .scheme: LoadSchema.scheme
        case .schemes: LoadSchema.schemes
        case .mapping: LoadSchema.mapping
        case .appNames: LoadSchema.appNames
        case .destinations: DestinationSchema.list
        case .destinationStatus: DestinationSchema.status
        case .destination: DestinationSchema.destination
        case .deadLetters: DestinationSchema.deadLetters
        case .anything: ["type": "object"]
        case .problem:
            Self.object([
                ("type", ["type": "string", "enum": .array(ProblemKind.allCases.map { .string($0.link) })]),
                ("title", ["type": "string"]), ("status", ["type": "integer"]), ("detail", ["type": "string"]),
                ("field", ["type": "string"]), ("rule", ["type": "string"]),
            ])
        }
    }

    /// Events by cursor.
    private static func page(of event: OpenAPISchema) -> JSONDocument {
        object([
            ("next", ["type": "string"]), ("has_more", ["type": "boolean"]),
            ("events", ["type": "array", "items": event.reference]),
        ])
    }

    /// A worker of a cluster whose lanes can't be counted.
    private static var outage: JSONDocument {
        object([
            ("worker", ["type": "string"]), ("lanes", ["type": "array", "items": ["type": "integer"]]),
        ])
    }

    /// The name of what a server reads again.
    private static var reloadedPart: JSONDocument {
        ["type": "string", "enum": .array(ServerFiles.Part.allCases.map { .string($0.rawValue) })]
    }

    /// What can't be read again, and why.
    private static var refusedPart: JSONDocument {
        object([("part", reloadedPart), ("reason", ["type": "string"])])
    }

    /// The answer of `GET /v1/reports`.
    private static var reportList: JSONDocument {
        let text: JSONDocument = ["type": "string"]
        let parameter = object([("name", text), ("meaning", text), ("rule", text)])
        let column = object([
            ("name", text), ("type", text), ("meaning", text), ("dimension", ["type": "boolean"]),
        ])
        let report = object([
            ("name", text), ("meaning", text), ("parameters", ["type": "array", "items": parameter]),
            ("columns", ["type": "array", "items": column]),
        ])
        return object([("reports", ["type": "array", "items": report])])
    }

    /// The answer of `GET /v1/trail`.
    private static var trailPage: JSONDocument {
        let (text, perhaps): (JSONDocument, JSONDocument) = (["type": "string"], ["type": ["string", "null"]])
        let entry = object([
            ("entry", ["type": "integer"]), ("happened_at", ["type": "string", "format": "date-time"]),
            ("since", ["type": ["string", "null"], "description": "of a sum the first time"]), ("action", text),
            ("person", perhaps), ("session", perhaps), ("from", text), ("subject", perhaps),
            ("counts", ["type": "object", "additionalProperties": ["type": "integer"]]),
        ])
        return object([
            ("next", ["type": ["integer", "null"], "description": "the value of the parameter before"]),
            ("entries", ["type": "array", "items": entry]),
        ])
    }

    /// A signed impression in the forms of `ImpressionFormat`.
    private static var signedImpressionForms: JSONDocument {
        let proof = ["nonce", "timestamp", "signature"]
        let json = ImpressionField.allCases.map(\.described).map(property)
        let openRTB = ["version", "network", "campaign", "sourceidentifier", "itunesitem", "sourceapp"] + proof
        let fidelity = object([("fidelity", ["type": "integer"])] + proof.map { ($0, ["type": "string"]) })
        return [
            "anyOf": .array(
                [
                    object(json + [("signature", ["type": "string"])], required: ["signature"]),
                    object(json + [("jws-string", ["type": "string"])], required: ["jws-string"]),
                    object(
                        openRTB.map { ($0, ["type": "string"]) } + [
                            ("fidelities", ["type": "array", "items": fidelity])
                        ],
                        required: ["version", "network", "itunesitem"]),
                ]
                    + StoreKitImpression.names.map { names in
                        object(names.map { ($0, ["type": ["string", "integer"]]) }, required: [names.last ?? ""])
                    })
        ]
    }

    /// What may be said of a notification of the App Store.
    private static var storeOutcomes: [String] {
        ["accepted", "duplicate"] + SignedDataError.Reason.allCases.map(\.rawValue)
            + [PostbackOutcome.overloaded, .storageUnavailable].map(\.rawValue)
    }

    /// An object; unless it says which members are required, all are.
    static func object(
        _ properties: [(String, JSONDocument)], required: [String]? = nil, isClosed: Bool = true,
        description: String? = nil
    ) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("type", "object")]
        if let description { members.append(("description", .string(description))) }
        members.append(("properties", .object(properties.map { (name: $0.0, value: $0.1) })))
        let names = required ?? (isClosed ? properties.map(\.0) : [])
        if !names.isEmpty { members.append(("required", .array(names.map { .string($0) }))) }
        if isClosed { members.append(("additionalProperties", false)) }
        return .object(members)
    }

    private static func property(_ field: DescribedField) -> (String, JSONDocument) {
        (field.name, ["type": .string(field.type.rawValue), "description": "must be \(field.rule)"])
    }
}
