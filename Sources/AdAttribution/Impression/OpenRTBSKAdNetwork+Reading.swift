import StrictJSON

extension OpenRTBSKAdNetwork {
    /// A key of the object, or of an element of `fidelities`.
    enum Member: Sendable, Equatable {
        case field(ImpressionField)
        case signature
        case fidelities
        /// A key of the extension that is not signed.
        case unsigned
    }

    /// The keys of `ext.skadn` that no other form has.
    static let ownNames: [(name: String, member: Member)] = [
        ("network", .field(.adNetworkID)), ("campaign", .field(.campaignID)),
        ("sourceidentifier", .field(.sourceIdentifier)), ("itunesitem", .field(.itunesItemID)),
        ("sourceapp", .field(.sourceAppID)), ("fidelities", .fidelities),
    ]

    private static let proof: [(Member, String)] = [
        (.field(.nonce), "nonce"), (.field(.timestamp), "timestamp"), (.signature, "signature"), (.unsigned, "ext"),
    ]
    private static let objectNames = WireFieldNames(
        ownNames.map { ($0.member, $0.name) } + proof + [
            (.field(.version), "version"), (.unsigned, "productpageid"), (.unsigned, "skoverlay"),
        ])
    private static let fidelityNames = WireFieldNames(proof + [(.field(.fidelityType), "fidelity")])

    /// The depth of the object: `ext` may hold more.
    static let maximumDepth = 8

    /// Reads what `json` writes: one impression for each element of `fidelities`, or the only one up to 2.1.
    ///
    /// - Throws: `ImpressionError`.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImpressionError) -> [SignedImpression] {
        let wire = try WireFields.members(bytes, names: objectNames, maximumDepth: maximumDepth)
        do throws(FieldError) {
            let common = try Part(wire, names: ownNames.map { ($0.member, $0.name) } + [(.field(.version), "version")])
            guard let list = wire[.fidelities] else { return [try common.impression()] }
            guard case .array(let range) = list, !range.isEmpty else {
                throw FieldError(field: "fidelities", rule: "must be an array of objects")
            }
            var signed: [SignedImpression] = []
            for element in try elements(UnsafeBufferPointer(rebasing: bytes[range])) {
                do throws(FieldError) {
                    let part = try Part(element, names: [(.field(.fidelityType), "fidelity")])
                    signed.append(try common.with(part).impression())
                } catch {
                    throw FieldError(
                        field: "fidelities[\(signed.count)].\(error.field)", rule: error.rule, value: error.value)
                }
            }
            guard !signed.isEmpty else { throw FieldError(field: "fidelities", rule: "must have an element") }
            return signed
        } catch {
            throw .field(error)
        }
    }

    private static func elements(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(FieldError) -> [WireFields<Member>] {
        do throws(JSONError) {
            var ranges: [Range<Int>] = []
            var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
            try scanner.scanArrayDocument { (_, range) throws(JSONError) in ranges.append(range) }
            var elements: [WireFields<Member>] = []
            for range in ranges {
                elements.append(
                    try WireFields(
                        UnsafeBufferPointer(rebasing: bytes[range]), names: fidelityNames, maximumDepth: maximumDepth))
            }
            return elements
        } catch {
            throw FieldError(field: "fidelities", rule: "must be an array of objects: \(error.rule.rawValue)")
        }
    }

    /// The signed fields of one object, and its signature.
    private struct Part {
        var parameters = ImpressionParameters()
        var signature: [UInt8]?

        /// Reads the members of an object.
        ///
        /// - Parameter names: The members that only this object has, for messages.
        init(_ wire: WireFields<Member>, names: [(member: Member, name: String)]) throws(FieldError) {
            if let key = wire.unknownKey {
                throw FieldError(field: JSONText.shown(key), rule: "is not a key of OpenRTB's skadn")
            }
            for (member, token) in wire.members {
                switch member {
                case .field(let field):
                    let name = names.first { $0.member == member }?.name ?? field.rawValue
                    parameters[field] = try Self.value(
                        WireToken(token: token, name: name, bytes: wire.bytes), field)
                case .signature:
                    signature = try WireToken(token: token, name: "signature", bytes: wire.bytes).signature()
                case .fidelities, .unsigned: break
                }
            }
        }

        /// Only the fidelity is an integer; all other values are strings.
        private static func value(_ token: WireToken, _ field: ImpressionField) throws(FieldError) -> FieldValue {
            guard field != .fidelityType else { return try token.value(field.kind) }
            guard let text = token.string else {
                throw FieldError(field: token.name, rule: "must be a string", value: token.token.excerpt(token.bytes))
            }
            guard let value = field.kind.value(ofOption: text) else {
                throw FieldError(
                    field: token.name, rule: "must be a string: \(field.kind.rule)", value: JSONText.quoted(text))
            }
            return value
        }

        /// The same, with what an element of `fidelities` has.
        func with(_ element: Part) -> Part {
            var part = self
            for field in ImpressionParameters.fields where element.parameters.has(field) {
                part.parameters[field] = element.parameters[field]
            }
            part.signature = element.signature
            return part
        }

        func impression() throws(FieldError) -> SignedImpression {
            let impression = try Impression(parameters)
            try OpenRTBSKAdNetwork.check(impression)
            guard let signature else { throw FieldError(field: "signature", rule: "is missing") }
            return SignedImpression(impression, signature: signature)
        }
    }
}
