/// How one version signs one kind of message: its fields in their order, and the curve of the key that verifies it.
///
/// `SignedLayout+Versions.swift` is the one table of these. Reading, composing, signing and verifying all go by it.
final class SignedLayout: Sendable {
    /// The places of the signed string, in order.
    let places: [SignedField]
    /// The curve of the verifying key.
    let curve: Curve
    /// Every field that may be signed, in the order of the places.
    let fields: [WireField]

    init(_ curve: Curve, _ places: [SignedField]) {
        self.places = places
        self.curve = curve
        fields = places.flatMap(\.candidates)
    }

    /// Whether the version signs this field; a field that it does not sign counts as absent.
    func signs(_ field: WireField) -> Bool {
        fields.contains(field)
    }
}

/// A row of the table is one object, and equal to itself only.
extension SignedLayout: Hashable {
    static func == (left: SignedLayout, right: SignedLayout) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
