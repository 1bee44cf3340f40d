import StrictJSON

extension Postback {
    /// The greatest number of bytes of a postback's body.
    public static let maximumBodySize = 16_384
    /// The greatest depth of a postback's JSON.
    public static let maximumDepth = 8

    /// Reads a postback from the bytes of a request.
    ///
    /// A body with `jws-string` is AdAttributionKit's.
    ///
    /// The order of the checks is size, JSON, version, fields. Types are exact: an integer is not accepted as a
    /// boolean, and so on.
    /// - Throws: The first rule that was broken, with the field or the byte.
    public init(parsing body: [UInt8]) throws(PostbackRejection) {
        try self.init(parsing: body, versions: .apple)
    }

    /// Reads a postback by a table of versions.
    package init(parsing body: [UInt8], versions: PostbackVersions) throws(PostbackRejection) {
        guard body.count <= Self.maximumBodySize else { throw .tooLarge }
        self = try body.withUnsafeBufferPointer { (bytes) throws(PostbackRejection) in
            let fields: WireFields<Int>
            do throws(JSONError) {
                fields = try WireFields(bytes, names: versions.bodyFields.names, maximumDepth: Self.maximumDepth)
            } catch {
                throw .malformed(error)
            }
            return fields.has(EnvelopeField.jwsString.rawValue)
                ? try Postback(adAttributionKit: fields, body, versions)
                : try Postback(skAdNetwork: fields, body, versions)
        }
    }

    /// Reads a postback of SKAdNetwork.
    ///
    /// Without a version it is one of 1.0.
    private init(
        skAdNetwork fields: WireFields<Int>, _ body: [UInt8], _ versions: PostbackVersions
    ) throws(PostbackRejection) {
        let version: SKAdNetworkVersion
        do throws(FieldError) {
            version =
                try fields.token(versions.versionNumber, PostbackField.version.name)?.text(as: SKAdNetworkVersion.self)
                ?? .v1_0
        } catch {
            throw .malformed(error, PostbackClaims(.skAdNetwork, fields, versions.bodyFields))
        }
        guard let layout = versions.skAdNetwork[version] else {
            throw .unsupportedVersion(version, PostbackClaims(.skAdNetwork, fields, versions.bodyFields))
        }
        do throws(FieldError) {
            content = try Content(layout, reading: fields, around: fields, jws: nil, body: body)
        } catch {
            throw .malformed(error, PostbackClaims(.skAdNetwork, fields, versions.bodyFields))
        }
    }

    /// Reads a postback of AdAttributionKit: an unsigned body around a compact JWS.
    private init(
        adAttributionKit fields: WireFields<Int>, _ body: [UInt8], _ versions: PostbackVersions
    ) throws(PostbackRejection) {
        let parsed: Result<Postback, PostbackRejection>
        do throws(FieldError) {
            let jws = try CompactJWS(fields.required(.jwsString).utf8())
            parsed = try jws.withPayload(versions.payloadFields.names) { payload in
                do throws(FieldError) {
                    return .success(
                        Postback(
                            try Content(
                                versions.adAttributionKit, reading: payload, around: fields, jws: jws, body: body)))
                } catch {
                    return .failure(
                        .malformed(error, PostbackClaims(.adAttributionKit, payload, versions.payloadFields)))
                }
            }
        } catch {
            throw .malformed(error, PostbackClaims(attributionProtocol: .adAttributionKit))
        }
        self = try parsed.get()
    }
}

extension WireFields<Int> {
    /// The field of a number.
    fileprivate func token(_ number: Int, _ name: String) -> WireToken? {
        self[number].map { WireToken(token: $0, name: name, bytes: bytes) }
    }

    private func token(_ field: EnvelopeField) -> WireToken? { token(field.rawValue, field.name) }

    func required(_ field: EnvelopeField) throws(FieldError) -> WireToken {
        guard let token = token(field) else { throw FieldError(field: field.name, rule: "is missing") }
        return token
    }

    fileprivate func fine(isKnown: Bool) throws(FieldError) -> ConversionValue? {
        do throws(FieldError) {
            return try token(.conversionValue)?.integer(as: ConversionValue.self)
        } catch {
            guard isKnown else { return nil }
            throw error
        }
    }

    fileprivate func coarse(isKnown: Bool) throws(FieldError) -> (value: CoarseConversionValue, wasLowered: Bool)? {
        do throws(FieldError) {
            guard let token = token(.coarseConversionValue) else { return nil }
            let value = try token.text(as: CoarseConversionValue.self)
            return (value, token.string != value.rawValue)
        } catch {
            guard isKnown else { return nil }
            throw error
        }
    }
}

extension ReportedConversionValue {
    /// Reads the conversion value that counts, and whether it had to be changed to lower case.
    ///
    /// Apple sends no value in an assist, a fine one in the first window only, and never both. Other values are not
    /// read: they do not count, and do not make the postback malformed. A value of a kind that the version does not
    /// have counts if it is valid, and is ignored otherwise.
    static func read(
        _ fields: WireFields<Int>, didWin: Bool, sequenceIndex: PostbackSequenceIndex, known: PostbackVersion.Values
    ) throws(FieldError) -> (value: ReportedConversionValue, wasLowered: Bool) {
        guard didWin else { return (.none, false) }
        if sequenceIndex == .first, let fine = try fields.fine(isKnown: known.contains(.fine)) {
            return (.fine(fine), false)
        }
        guard let coarse = try fields.coarse(isKnown: known.contains(.coarse)) else { return (.none, false) }
        return (.coarse(coarse.value), coarse.wasLowered)
    }
}
