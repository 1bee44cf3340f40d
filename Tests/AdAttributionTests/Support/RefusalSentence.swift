import Testing

@testable import AdAttribution

/// The sentences in which refusals are put; a value out of a body would make another one.
enum RefusalSentence {
    private static let fields = Set(
        PostbackVersions.apple.allNames + ImpressionField.allNames + ["alg", "kid", "crit"])

    private static let json = [
        "not valid JSON", "JSON ends too early", "bytes after the JSON value", "not valid UTF-8",
        "not a valid escape sequence", "nested too deeply", "a key of this object stands twice",
        "must be a JSON object",
    ]

    private static let rules = Set(
        [
            "is missing", "must be an integer from 1 to 100", "must be an integer from 0 to 63",
            "must be an integer from 0 to 9223372036854775807", "must be true or false", "must be 0, 1 or 2",
            "must be 0 (view-through) or 1 (StoreKit-rendered, web)", "must be a string",
            "must be a string: a UUID, 8-4-4-4-12 hexadecimal digits", "must be a string: padded base64",
            "must be a string: 1 to 64 characters out of A-Z a-z 0-9 . -", "must be a string: a version such as 2.0",
            "must be a string: one to four decimal digits", "must be a string: low, medium or high",
            "must be a string: a domain in lower case, such as example.com",
            "must be a string: 1 to 255 printable ASCII characters", "must be a string: app-impression",
            "must be a string: download, redownload or re-engagement", "must be a string: view or click",
            "must not stand beside source-app-id", "must be ES256", "must not be there",
            "must be a string of 1 to 64 bytes", "must have a signature of 64 bytes, R and S",
            "must be three parts of unpadded base64url with dots between them",
            "neither the network nor the app is in the key ring",
            "the key that kid names does not verify it, or is not known",
            "no key on P-192 verifies it over the signed fields", "no key on P-256 verifies it over the signed fields",
        ] + json.flatMap { [$0, "header, byte 0: \($0)", "payload, byte 0: \($0)"] })

    /// Checks that a refusal gives its reason in one of the sentences, with a field or a byte of the body.
    static func check(_ refusal: PostbackRejection, _ body: [UInt8], _ location: SourceLocation = #_sourceLocation) {
        var rule = refusal.rule
        for part in ["header", "payload"] where rule.hasPrefix("\(part), byte ") {
            rule = "\(part), byte 0: " + rule.split(separator: ": ", maxSplits: 1).dropFirst().joined()
        }
        let isKnown =
            switch refusal.reason {
            case .unsupportedVersion:
                rule.wholeMatch(of: /\d{1,2}\.\d{1,2} is not a version that can be verified/) != nil
                    && refusal.field == "version"
            case .tooLarge: false
            default:
                rules.contains(rule)
                    && (refusal.field.map(fields.contains) ?? (0...body.count).contains(refusal.byteOffset ?? -1))
            }
        let hasMessage = (refusal.checkedMessage != nil) == (refusal.reason == .invalidSignature)
        if !isKnown || !hasMessage {
            Issue.record("\(refusal) of \(String(decoding: body, as: UTF8.self))", sourceLocation: location)
        }
    }
}
