import StrictJSON

/// A row of the table of postbacks: a field, its JSON kind, and the column in which it is stored.
///
/// `PostbackVersions+Apple.swift` has Apple's rows, and says which version signs which of them.
package final class PostbackField: WireNamed {
    /// Where a field is stored: in a column that the code uses, or in one of the table `traits`.
    package enum Column: Sendable, Hashable {
        /// `traits.version`; always the version that the postback was read as.
        case version
        /// `network.ad_network_id`.
        case adNetworkID
        /// `line.campaign`.
        case campaign
        /// `line.advertised_app_id`.
        case advertisedAppID
        /// `postback_state.transaction_id`.
        case transactionID
        /// `source_app_id(source)` of `postback_state`.
        case sourceAppID
        /// `source.source_domain`.
        case sourceDomain
        /// `postback_state.did_win`.
        case didWin
        /// `postback_state.sequence_index`.
        case sequenceIndex
        /// The column of `traits` with this name, for a fact that has few values.
        case trait(String)
        /// None: the field is read and checked, and stays in the body.
        case none
    }

    /// Apple's name of the field.
    package let name: String
    /// The JSON kind.
    package let kind: FieldKind
    /// Where it is stored.
    package let column: Column
    /// Values that a simulated postback may have.
    package let examples: [FieldValue]
    /// Whether a value that breaks the rule counts as absent.
    ///
    /// A signed field is never so.
    let isLenient: Bool

    /// A row.
    package init(
        _ name: String, _ kind: FieldKind, _ column: Column, examples: [FieldValue] = [], isLenient: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.column = column
        self.examples = examples
        self.isLenient = isLenient
    }

    /// The value of a token, or nil if it breaks the rule.
    func value(_ token: JSONToken, in bytes: UnsafeBufferPointer<UInt8>) -> FieldValue? {
        try? WireToken(token: token, name: name, bytes: bytes).value(kind)
    }

    /// Whether a token obeys the rule.
    func accepts(_ token: JSONToken, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch (token, kind) {
        case (.boolean, .boolean): true
        case (.integer(let integer), .integer(_, let isValid)): isValid(integer)
        case (.string(let range), .text(_, let isValid)): isValid(JSONToken.text(bytes, range))
        case (.string(let range), .uuid), (.string(let range), .lowercaseUUID):
            kind.value(JSONToken.text(bytes, range)) != nil
        default: false
        }
    }

    package static func == (left: PostbackField, right: PostbackField) -> Bool {
        left === right || left.name == right.name
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// A column of the table `traits`: its name, and what it holds.
package struct TraitColumn: Sendable, Equatable {
    /// The name in the database.
    package let name: String
    /// What it holds.
    package let kind: FieldKind

    package static func == (left: TraitColumn, right: TraitColumn) -> Bool { left.name == right.name }
}

/// The fields of a body that are not rows: the signature, and the conversion values, which have their own rules.
package enum EnvelopeField: Int, CaseIterable {
    case attributionSignature
    case jwsString
    case conversionValue
    case coarseConversionValue

    /// Apple's name of the field.
    package var name: String {
        switch self {
        case .attributionSignature: "attribution-signature"
        case .jwsString: "jws-string"
        case .conversionValue: "conversion-value"
        case .coarseConversionValue: "coarse-conversion-value"
        }
    }
}
