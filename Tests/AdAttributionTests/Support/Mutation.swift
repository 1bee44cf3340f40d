import TestSupport

/// Random damage to bytes and to members, the same for the same seed.
struct Mutation {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private static let tokens = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "\\ud800", "\\u0000", "null", "true", "1", "-", "0", ".", "e",
        "9999999999999999999", "\"a\":", ",\"campaign-id\":1", "\"version\":\"2.0\"", "\"jws-string\":\"\"", " ", "\n",
        "\u{0}", "é", "😀", "=", "_", "ES256", "crit",
    ].map { Array($0.utf8) }

    private static let values = [
        "null", "true", "false", "0", "1", "2", "-1", "42", "63", "64", "100", "101", "1.0", "-0", "1e2", "5239",
        "9223372036854775807", "9223372036854775808", #""""#, #""0""#, #""39""#, #""1.0""#, #""2.0""#, #""4.0""#,
        #""9.9""#, #""high""#, #""LOW""#, #""view""#, #""ES256""#, #""none""#, #""download""#, #""app-impression""#,
        #""com.example""#, #""example123.skadnetwork""#, #""6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28""#, "[]", "{}",
        #"{"a":1,"a":2}"#, #"[[[[[[[[[[1]]]]]]]]]]"#, #""\ud800""#, #""\u0000""#, #""é""#,
    ]

    /// Up to three places overwritten, cut out or filled in.
    mutating func damage(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...4, using: &random))
            let few = random.bytes(Int.random(in: 0...3, using: &random))
            let token = Self.tokens.randomElement(using: &random) ?? []
            bytes.replaceSubrange(start..<end, with: Bool.random(using: &random) ? token : few)
        }
        return bytes
    }

    /// Up to three members changed, dropped, doubled, renamed or added, so that it is JSON in most cases.
    mutating func change<Body: JSONObjectBody>(_ original: Body, keys: [String]) -> Body {
        var body = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let value = Self.values.randomElement(using: &random) ?? "0"
            let key = keys.randomElement(using: &random) ?? ""
            guard let index = body.members.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: body.members[index].json = value
            case 4, 5: body.members.remove(at: index)
            case 6: body.members.append(body.members[index])
            case 7: body.members[index].key = key
            default: body.members.append((key, value))
            }
        }
        return body
    }
}
