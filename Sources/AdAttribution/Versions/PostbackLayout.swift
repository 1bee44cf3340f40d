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

    /// What reading needs to know of each slot.
    let readings: [Reading]
    /// Whether only other versions sign the field of a number.
    ///
    /// In a postback of this one, a relay has added it.
    let isOfOthers: [Bool]
    /// The slot of the app that showed the ad.
    let sourceAppSlot: Int?
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
        readings =
            row.places.enumerated().flatMap { number, place in
                place.fields.enumerated().map { offset, field in
                    Reading(
                        field, signed.number(of: field), in: place,
                        endOf: offset == place.fields.count - 1 ? number : nil)
                }
            } + row.unsigned.map { Reading($0, body.number(of: $0), in: nil, endOf: nil) }
        sourceAppSlot = fields.firstIndex { $0.column == .sourceAppID }
        isOfOthers = body.fields.map { field in field.map { others.contains($0) && !fields.contains($0) } ?? false }
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
    /// What reading needs to know of a slot.
    ///
    /// It holds no reference, so that nothing is counted when it is copied.
    struct Reading: BitwiseCopyable {
        /// The number of the field in its JSON object; -1 if the object has no such field.
        let number: Int
        /// The place that ends with this slot; nil if the place has another field behind it.
        let endOf: Int?
        let isSigned: Bool
        /// Whether a field of the place must be there.
        let isRequired: Bool
        /// Whether the slot before this one is of the same place.
        let isSecond: Bool
        /// Where the field lands.
        let column: Column

        init(_ field: PostbackField, _ number: Int?, in place: SignedPlace<PostbackField>?, endOf: Int?) {
            self.number = number ?? -1
            self.endOf = endOf
            isSigned = place != nil
            isRequired = place?.isRequired ?? false
            isSecond = place.map { $0.fields.count == 2 && endOf != nil } ?? false
            column = Column(field)
        }
    }

    /// The column of a field, as far as reading has to tell it apart; compared without looking at a text.
    enum Column {
        case version, adNetworkID, campaignID, sourceIdentifier, advertisedAppID, transactionID, sourceAppID
        case sourceDomain, didWin, sequenceIndex, other

        init(_ field: PostbackField) {
            switch field.column {
            case .version: self = .version
            case .adNetworkID: self = .adNetworkID
            case .campaign:
                if case .integer = field.kind { self = .campaignID } else { self = .sourceIdentifier }
            case .advertisedAppID: self = .advertisedAppID
            case .transactionID: self = .transactionID
            case .sourceAppID: self = .sourceAppID
            case .sourceDomain: self = .sourceDomain
            case .didWin: self = .didWin
            case .sequenceIndex: self = .sequenceIndex
            case .trait, .none: self = .other
            }
        }
    }
}
