import Foundation

/// Random changes of signed data.
enum Mutation {
    /// How many are made of each text: 200, or what `MUTATIONS` says.
    static let count = ProcessInfo.processInfo.environment["MUTATIONS"].flatMap { Int($0) } ?? 200

    /// One to three changes of bytes, to bytes that a text of base64url with dots has.
    static func ofText(_ text: [UInt8], _ random: inout some RandomNumberGenerator) -> [UInt8] {
        changed(text, Array("ABCDxyz0189-_.=+/".utf8), &random)
    }

    /// One to three changes of bytes, to bytes that JSON has.
    static func ofJSON(_ json: String, _ random: inout some RandomNumberGenerator) -> String {
        String(decoding: changed(Array(json.utf8), Array(#"{}[]",:\ 019eEx-.n"#.utf8), &random), as: UTF8.self)
    }

    private static func changed(
        _ bytes: [UInt8], _ alphabet: [UInt8], _ random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...2, using: &random))
            let new = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            bytes.replaceSubrange(start..<end, with: new)
        }
        return bytes
    }
}
