/// How one version signs one kind of message: its fields in their order, and the curve of the key that verifies it.
///
/// `SignedLayout+Versions.swift` is the one table of these. Reading, composing, signing and verifying all go by it.
struct SignedLayout: Sendable, Hashable {
    /// The places of the signed string, in order.
    let places: [SignedField]
    /// The curve of the verifying key.
    let curve: Curve
    /// Every field that may be signed, for quick membership tests.
    private let signed: Set<WireField>

    init(_ curve: Curve, _ places: [SignedField]) {
        self.places = places
        self.curve = curve
        signed = Set(places.flatMap(\.candidates))
    }

    /// Whether the version signs this field; a field that it does not sign counts as absent.
    func signs(_ field: WireField) -> Bool {
        signed.contains(field)
    }
}
