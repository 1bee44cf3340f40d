extension Postback {
    /// The most bytes that a postback's body may have.
    public static let maximumBodySize = 16_384
    /// The deepest nesting that a postback's JSON may have.
    public static let maximumDepth = 8

    /// Reads a postback out of the bytes of a request.
    ///
    /// Checked in this order: size, JSON, version, fields. Types are exact: integers are integers, booleans booleans.
    /// - Throws: the first rule that was broken, with the field or the byte it was broken at.
    public init(parsing body: [UInt8]) throws(PostbackRejection) {
        guard body.count <= Self.maximumBodySize else { throw .tooLarge }
        self = try body.withUnsafeBufferPointer { (bytes) throws(PostbackRejection) in
            try Postback(bytes, body: body)
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, body: [UInt8]) throws(PostbackRejection) {
        let fields: WireFields
        let version: SKAdNetworkVersion
        do throws(JSONError) {
            fields = try WireFields(bytes, maximumDepth: Self.maximumDepth)
        } catch {
            throw .malformed(error)
        }
        do throws(FieldError) {
            version = try fields.required(.version, fields.text(.version, as: SKAdNetworkVersion.self))
        } catch {
            throw .malformed(error, in: fields)
        }
        guard let layout = SignedLayout.postbacks[version] else { throw .unsupportedVersion(version, in: fields) }
        do throws(FieldError) {
            self = try Postback(fields, version: version, layout: layout, body: body)
        } catch {
            throw .malformed(error, in: fields)
        }
    }

    private init(
        _ fields: WireFields, version: SKAdNetworkVersion, layout: SignedLayout, body: [UInt8]
    ) throws(FieldError) {
        self.version = version
        self.layout = layout
        self.body = body
        adNetworkID = try fields.required(.adNetworkID, fields.text(.adNetworkID, as: AdNetworkID.self))
        if layout.signs(.sourceIdentifier) {
            campaign = .sourceIdentifier(
                try fields.required(.sourceIdentifier, fields.text(.sourceIdentifier, as: SourceIdentifier.self)))
        } else {
            campaign = .campaignID(
                try fields.required(.campaignID, fields.integer(.campaignID, as: CampaignID.self)))
        }
        advertisedAppID = try fields.required(.appID, fields.integer(.appID, as: AppID.self))
        transactionID = try fields.required(.transactionID, fields.text(.transactionID, as: TransactionID.self))
        redownload =
            layout.signs(.redownload) ? try fields.required(.redownload, fields.boolean(.redownload)) : nil
        source =
            layout.signs(.sourceAppID)
            ? try fields.integer(.sourceAppID, as: AppID.self).map(AttributionSource.app) : nil
        fidelityType =
            layout.signs(.fidelityType)
            ? try fields.required(.fidelityType, fields.integer(.fidelityType, as: FidelityType.self)) : nil
        didWin = layout.signs(.didWin) ? try fields.required(.didWin, fields.boolean(.didWin)) : true
        sequenceIndex =
            layout.signs(.postbackSequenceIndex)
            ? try fields.required(
                .postbackSequenceIndex, fields.integer(.postbackSequenceIndex, as: PostbackSequenceIndex.self))
            : .first
        conversionValue = try fields.integer(.conversionValue, as: ConversionValue.self).map { .fine($0) } ?? .none
        countryCode = try? fields.text(.countryCode, as: CountryCode.self)
        signature = try fields.required(.attributionSignature, fields.signature(.attributionSignature))
    }
}

extension WireFields {
    /// The value of a field that must be there.
    func required<Value>(_ field: WireField, _ value: Value?) throws(FieldError) -> Value {
        guard let value else { throw FieldError(field, "is missing") }
        return value
    }
}
