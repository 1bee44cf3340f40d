import StrictJSON

extension Postback {
    /// The most bytes that a postback's body may have.
    public static let maximumBodySize = 16_384
    /// The deepest nesting that a postback's JSON may have.
    public static let maximumDepth = 8

    /// Reads a postback of either framework out of the bytes of a request; a body with `jws-string` is
    /// AdAttributionKit's.
    ///
    /// Checked in this order: size, JSON, version, fields. Types are exact: integers are integers, booleans booleans.
    /// - Throws: the first rule that was broken, with the field or the byte it was broken at.
    public init(parsing body: [UInt8]) throws(PostbackRejection) {
        guard body.count <= Self.maximumBodySize else { throw .tooLarge }
        self = try body.withUnsafeBufferPointer { (bytes) throws(PostbackRejection) in
            let fields: WireFields<WireField>
            do throws(JSONError) {
                fields = try WireFields(bytes, maximumDepth: Self.maximumDepth)
            } catch {
                throw .malformed(error)
            }
            return fields.has(.jwsString)
                ? try Postback(adAttributionKit: fields, body: body)
                : try Postback(skAdNetwork: fields, body: body)
        }
    }
}

extension ReportedConversionValue {
    /// Reads the value that counts, and whether it had to be put into lower case.
    ///
    /// Apple sends none to a network that did not win, a fine one in the first window only, and never both. What is
    /// there all the same is not looked at: it neither counts nor makes the postback malformed. A value of a kind that
    /// the version does not know yet counts where it is one, and is passed over where it is none.
    static func read(
        _ fields: WireFields<WireField>, didWin: Bool, sequenceIndex: PostbackSequenceIndex, knowsFine: Bool = true,
        knowsCoarse: Bool = true
    ) throws(FieldError) -> (value: ReportedConversionValue, wasLowered: Bool) {
        guard didWin else { return (.none, false) }
        if sequenceIndex == .first, let fine = try fine(fields, isKnown: knowsFine) { return (.fine(fine), false) }
        guard let coarse = try coarse(fields, isKnown: knowsCoarse) else { return (.none, false) }
        return (.coarse(coarse), fields.string(.coarseConversionValue) != coarse.rawValue)
    }

    private static func fine(
        _ fields: WireFields<WireField>, isKnown: Bool
    ) throws(FieldError) -> ConversionValue? {
        do throws(FieldError) {
            return try fields.integer(.conversionValue, as: ConversionValue.self)
        } catch {
            guard isKnown else { return nil }
            throw error
        }
    }

    private static func coarse(
        _ fields: WireFields<WireField>, isKnown: Bool
    ) throws(FieldError) -> CoarseConversionValue? {
        do throws(FieldError) {
            return try fields.text(.coarseConversionValue, as: CoarseConversionValue.self)
        } catch {
            guard isKnown else { return nil }
            throw error
        }
    }
}
