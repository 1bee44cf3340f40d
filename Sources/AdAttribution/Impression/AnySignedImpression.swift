/// A signed impression of one of the protocols.
///
/// Its form says which.
public enum AnySignedImpression: Sendable {
    /// SKAdNetwork: the signed fields and `signature` as JSON.
    case skAdNetwork(SignedImpression)
    /// AdAttributionKit: a compact JWS, by itself or under `jws-string` in JSON.
    case adAttributionKit(SignedAdAttributionKitImpression)

    /// Reads an impression that `adsign sign` or the service has written.
    ///
    /// - Throws: `ImpressionError`.
    public init(parsing text: [UInt8]) throws(ImpressionError) {
        let compact = Self.trimmed(text)
        if compact.contains(UInt8(ascii: ".")), compact.allSatisfy(Self.isOfCompactJWS) {
            self = .adAttributionKit(
                try Self.jws { () throws(FieldError) in
                    try SignedAdAttributionKitImpression(compactJWS: String(decoding: compact, as: UTF8.self))
                })
            return
        }
        let jws = try text.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let wire = try WireFields.impression(bytes)
            return wire.has(.proof(.jwsString))
                ? try Self.jws { () throws(FieldError) in try SignedAdAttributionKitImpression(wire) } : nil
        }
        if let jws {
            self = .adAttributionKit(jws)
        } else {
            self = .skAdNetwork(try SignedImpression(json: text))
        }
    }

    /// Reads an impression in any form of `ImpressionFormat`.
    ///
    /// - Returns: One impression; in OpenRTB, one for each fidelity type.
    /// - Throws: `ImpressionError`.
    public static func all(in text: [UInt8]) throws(ImpressionError) -> [AnySignedImpression] {
        let other = try text.withUnsafeBufferPointer { (bytes) throws(ImpressionError) -> [SignedImpression]? in
            switch ForeignForm.of(bytes) {
            case .storeKit(let api)?: return [try StoreKitImpression.read(bytes, api)]
            case .openRTB?: return try OpenRTBSKAdNetwork.read(bytes)
            case nil: return nil
            }
        }
        guard let other else { return [try AnySignedImpression(parsing: text)] }
        return other.map { .skAdNetwork($0) }
    }

    /// Whether the signature holds under the network's public key.
    public func isValid(under key: VerificationKey) -> Bool {
        switch self {
        case .skAdNetwork(let signed): signed.isValid(under: key)
        case .adAttributionKit(let signed): signed.isValid(under: key)
        }
    }

    /// What the signature covers.
    public var explanation: SignatureExplanation {
        switch self {
        case .skAdNetwork(let signed): SignatureExplanation(signed)
        case .adAttributionKit(let signed): SignatureExplanation(signed)
        }
    }

    private static func jws(
        _ read: () throws(FieldError) -> SignedAdAttributionKitImpression
    ) throws(ImpressionError) -> SignedAdAttributionKitImpression {
        do throws(FieldError) {
            return try read()
        } catch {
            throw .field(error)
        }
    }

    private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let start = text.firstIndex { $0 > 0x20 } ?? text.endIndex
        let end = text.lastIndex { $0 > 0x20 } ?? start - 1
        return text[start..<max(start, end + 1)]
    }

    private static func isOfCompactJWS(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

/// A form whose JSON has other names than Apple's wire names.
private enum ForeignForm: Sendable, Equatable {
    case storeKit(StoreKitImpression.API)
    case openRTB

    /// The form with the first telling key; nil if there is none, or if the bytes are not an object.
    static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> ForeignForm? {
        guard bytes.count <= ImpressionParameters.maximumSize else { return nil }
        let wire = try? WireFields(bytes, names: names, maximumDepth: OpenRTBSKAdNetwork.maximumDepth)
        return wire?.members.first?.field
    }

    /// The names that only one form has.
    private static let names: WireFieldNames<ForeignForm> = {
        var names: [(ForeignForm, String)] = OpenRTBSKAdNetwork.ownNames.map { (.openRTB, $0.name) }
        let wireNames = Set(ImpressionMember.allNames)
        for api in [StoreKitImpression.API.rendered, .viewThrough] {
            let all = ImpressionField.allCases.compactMap { $0.storeKitName(api) } + [api.signature]
            names += all.filter { !wireNames.contains($0) }.map { (.storeKit(api), $0) }
        }
        return WireFieldNames(names)
    }()
}
