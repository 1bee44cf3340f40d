/// A version of the table, prepared for reading.
///
/// Each field has a slot, in which a postback keeps its value.
package final class PostbackLayout: Sendable {
    /// The version of SKAdNetwork, or nil for AdAttributionKit.
    package let version: SKAdNetworkVersion?
    /// The curve of the key that verifies.
    package let curve: Curve
    /// The kinds of conversion value that the version has.
    package let values: PostbackVersion.Values
    /// The places of the signed message in order.
    package let places: [SignedPlace<PostbackField>]
    /// The signed fields in order, then the unsigned ones: the field of each slot.
    package let fields: [PostbackField]
    /// The number of signed fields.
    package let signedCount: Int

    /// The place that ends with the field of each slot, or nil if the place has another field behind it.
    let ends: [SignedPlace<PostbackField>?]
    /// The number of each field in its JSON object.
    let numbers: [Int]
    /// Whether only other versions sign the field of a number.
    ///
    /// In a postback of this one, a relay has added it.
    let isOfOthers: [Bool]
    /// The slots of the fields that the code asks for.
    let slots: Slots
    /// The table's columns of traits, and the slot of each.
    let traits: (columns: [TraitColumn], slots: [Int?])

    init(
        _ row: PostbackVersion, in signed: PostbackFieldSet, around body: PostbackFieldSet,
        _ columns: [TraitColumn], others: Set<PostbackField>
    ) {
        let signedFields = row.places.flatMap(\.fields)
        let fields = signedFields + row.unsigned
        version = row.version
        curve = row.curve
        values = row.values
        places = row.places
        self.fields = fields
        signedCount = signedFields.count
        ends =
            row.places.flatMap { place in place.fields.dropLast().map { _ in nil } + [place] }
            + row.unsigned.map { _ in nil }
        numbers =
            signedFields.map { signed.number(of: $0) ?? -1 } + row.unsigned.map { body.number(of: $0) ?? -1 }
        isOfOthers = body.fields.map { field in field.map { others.contains($0) && !fields.contains($0) } ?? false }
        slots = Slots(fields)
        traits = (columns, columns.map { column in fields.firstIndex { $0.column == .trait(column.name) } })
    }

    /// The signed fields in order.
    package var signedFields: ArraySlice<PostbackField> { fields[..<signedCount] }

    /// Whether the version signs this field.
    ///
    /// A field that it does not sign counts as absent.
    package func signs(_ field: PostbackField) -> Bool { signedFields.contains(field) }

    /// Whether the version signs a field that lands in this column.
    package func signs(_ column: PostbackField.Column) -> Bool { signedFields.contains { $0.column == column } }
}

extension PostbackLayout {
    /// The slots of the fields that land in columns with a meaning for the code.
    struct Slots {
        let version: Int?
        let adNetworkID: Int?
        let campaign: Int?
        let advertisedAppID: Int?
        let transactionID: Int?
        let sourceAppID: Int?
        let sourceDomain: Int?
        let didWin: Int?
        let sequenceIndex: Int?

        init(_ fields: [PostbackField]) {
            func slot(_ column: PostbackField.Column) -> Int? { fields.firstIndex { $0.column == column } }
            version = slot(.version)
            adNetworkID = slot(.adNetworkID)
            campaign = slot(.campaign)
            advertisedAppID = slot(.advertisedAppID)
            transactionID = slot(.transactionID)
            sourceAppID = slot(.sourceAppID)
            sourceDomain = slot(.sourceDomain)
            didWin = slot(.didWin)
            sequenceIndex = slot(.sequenceIndex)
        }
    }
}
