/// One version: which fields its postbacks have, in which order they are signed, and which curve verifies them.
package struct PostbackVersion: Sendable {
    /// The kinds of conversion value that a version knows.
    package struct Values: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// `conversion-value`.
        package static let fine = Values(rawValue: 1)
        /// `coarse-conversion-value`.
        package static let coarse = Values(rawValue: 2)
    }

    /// The version of SKAdNetwork; nil for AdAttributionKit.
    let version: SKAdNetworkVersion?
    let curve: Curve
    let values: Values
    /// The places of the signed message in order.
    ///
    /// A JWS has no such order: its text is signed as received.
    let places: [SignedPlace<PostbackField>]
    /// Fields that count but are not signed.
    let unsigned: [PostbackField]

    /// A version.
    package init(
        _ version: SKAdNetworkVersion?, _ curve: Curve, values: Values, _ places: [SignedPlace<PostbackField>],
        unsigned: [PostbackField] = [.countryCode]
    ) {
        self.version = version
        self.curve = curve
        self.values = values
        self.places = places
        self.unsigned = unsigned
    }
}

/// The table of postbacks: every version that can be read and verified.
///
/// Reading, signing, explaining, simulating and storing use it. `apple` is the default table.
package final class PostbackVersions: Sendable {
    /// The versions of SKAdNetwork.
    package let skAdNetwork: [SKAdNetworkVersion: PostbackLayout]
    /// AdAttributionKit.
    package let adAttributionKit: PostbackLayout
    /// The fields that any version of SKAdNetwork signs.
    package let skAdNetworkFields: [PostbackField]
    /// The columns of the table `traits` that the rows name.
    package let traitColumns: [TraitColumn]

    private let rows: (skAdNetwork: [PostbackVersion], adAttributionKit: PostbackVersion)
    /// The fields of a body: those of SKAdNetwork, and those beside the JWS of AdAttributionKit.
    let bodyFields: PostbackFieldSet
    /// The fields inside the JWS of AdAttributionKit.
    let payloadFields: PostbackFieldSet
    /// The number of `version` in a body.
    let versionNumber: Int

    /// A table with these versions.
    package init(skAdNetwork: [PostbackVersion], adAttributionKit: PostbackVersion) {
        rows = (skAdNetwork, adAttributionKit)
        let all = skAdNetwork + [adAttributionKit]
        var traitColumns: [TraitColumn] = []
        for field in all.flatMap({ $0.places.flatMap(\.fields) + $0.unsigned }) {
            guard case .trait(let name) = field.column, !traitColumns.contains(where: { $0.name == name }) else {
                continue
            }
            traitColumns.append(TraitColumn(name: name, kind: field.kind))
        }
        let bodyFields = PostbackFieldSet(
            skAdNetwork.flatMap { $0.places.flatMap(\.fields) } + [.version] + all.flatMap(\.unsigned))
        let payloadFields = PostbackFieldSet(adAttributionKit.places.flatMap(\.fields))
        var signed: [PostbackField] = []
        for field in skAdNetwork.flatMap({ $0.places.flatMap(\.fields) }) where !signed.contains(field) {
            signed.append(field)
        }
        let others = Set(signed).subtracting([.version])
        let layouts = skAdNetwork.compactMap { row in
            row.version.map { version in
                (version, PostbackLayout(row, in: bodyFields, around: bodyFields, traitColumns, others: others))
            }
        }
        skAdNetworkFields = signed
        self.skAdNetwork = Dictionary(layouts) { $1 }
        self.adAttributionKit = PostbackLayout(
            adAttributionKit, in: payloadFields, around: bodyFields, traitColumns, others: [])
        self.traitColumns = traitColumns
        self.bodyFields = bodyFields
        self.payloadFields = payloadFields
        versionNumber = bodyFields.number(of: .version) ?? -1
    }

    /// The same table with one more version of SKAdNetwork.
    package func adding(_ version: PostbackVersion) -> PostbackVersions {
        PostbackVersions(skAdNetwork: rows.skAdNetwork + [version], adAttributionKit: rows.adAttributionKit)
    }

    /// Whether a body may have a field with this name, signed or not.
    package func hasBodyField(named name: String) -> Bool {
        EnvelopeField.allCases.contains { $0.name == name } || bodyFields.fields.contains { $0?.name == name }
    }

    /// The versions of SKAdNetwork in ascending order.
    package var versions: [SKAdNetworkVersion] { skAdNetwork.keys.sorted() }
}

/// Two tables are equal if they are one object.
extension PostbackVersions: Hashable {
    package static func == (left: PostbackVersions, right: PostbackVersions) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The fields that one JSON object may have, numbered.
struct PostbackFieldSet: Sendable {
    /// The fields, each at its number; the first numbers are those of `EnvelopeField`, which are no rows.
    let fields: [PostbackField?]
    /// Finds the number of a field by its name.
    let names: WireFieldNames<Int>

    init(_ rows: [PostbackField]) {
        var fields: [PostbackField?] = EnvelopeField.allCases.map { _ in nil }
        var names = EnvelopeField.allCases.map(\.name)
        for row in rows where !names.contains(row.name) {
            fields.append(row)
            names.append(row.name)
        }
        self.fields = fields
        self.names = WireFieldNames(names.enumerated().map { ($0.offset, $0.element) })
    }

    func number(of field: PostbackField) -> Int? { fields.firstIndex(of: field) }
}
