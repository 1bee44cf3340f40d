/// How one version signs one kind of message: its fields in their order, and the curve of the key that verifies it.
///
/// `SignedLayout+Versions.swift` is the one table of these. Reading, composing, signing and verifying all go by it.
package final class SignedLayout: Sendable {
    /// The places of the signed string, in order.
    package let places: [SignedField]
    /// The curve of the verifying key.
    package let curve: Curve
    /// Every field that may be signed, in the order of the places.
    package let fields: [WireField]

    init(_ curve: Curve, _ places: [SignedField]) {
        self.places = places
        self.curve = curve
        fields = places.flatMap(\.candidates)
    }

    /// Whether the version signs this field; a field that it does not sign counts as absent.
    package func signs(_ field: WireField) -> Bool {
        fields.contains(field)
    }
}

/// A row of the table is one object, and equal to itself only.
extension SignedLayout: Hashable {
    package static func == (left: SignedLayout, right: SignedLayout) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
