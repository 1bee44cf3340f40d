/// Finding the field that a scanned key names, without making a string of it.
enum WireFieldName {
    private static let names: [(field: WireField, utf8: [UInt8])] = WireField.allCases.map {
        ($0, Array($0.rawValue.utf8))
    }

    /// The field of this key, or nil where the key is none of Apple's.
    static func field(_ bytes: UnsafeBufferPointer<UInt8>, _ key: JSONStringRange) -> WireField? {
        if key.hasEscapes { return WireField(rawValue: JSONToken.text(bytes, key)) }
        let length = key.end - key.start
        for name in names where name.utf8.count == length {
            if name.utf8.elementsEqual(bytes[key.start..<key.end]) { return name.field }
        }
        return nil
    }
}

extension WireField {
    /// The field's place in a table of all fields.
    var ordinal: Int {
        switch self {
        case .version: 0
        case .adNetworkID: 1
        case .campaignID: 2
        case .sourceIdentifier: 3
        case .appID: 4
        case .itunesItemID: 5
        case .transactionID: 6
        case .nonce: 7
        case .redownload: 8
        case .sourceAppID: 9
        case .sourceDomain: 10
        case .fidelityType: 11
        case .didWin: 12
        case .postbackSequenceIndex: 13
        case .timestamp: 14
        case .conversionValue: 15
        case .coarseConversionValue: 16
        case .countryCode: 17
        case .attributionSignature: 18
        case .signature: 19
        }
    }
}
