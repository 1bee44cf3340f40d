import Encodings

extension SignedRequest {
    /// The fewest bytes at the end of an answer that count as the beginning of a secret.
    private static let leastBeginning = 4

    /// Bytes of an answer without the secrets of the request: `{secret:NAME}` stands where one was.
    ///
    /// A receiver may repeat what it got. A secret is found as it is and percent-encoded, and at the end also if it was cut
    /// off. What a receiver makes of a secret, such as its base64, is not found.
    package func withoutSecrets(_ bytes: [UInt8]) -> [UInt8] {
        guard !secrets.isEmpty else { return bytes }
        var hidden: [(text: [UInt8], mark: [UInt8])] = []
        for (name, text) in secrets {
            for form in Set([text, PercentEncoding.text(text)]) {
                hidden.append((text: Array(form.utf8), mark: Array("{secret:\(name)}".utf8)))
            }
        }
        // The longest first, since one may begin with another one.
        hidden.sort { $0.text.count > $1.text.count }
        var output: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            var found = hidden.first { rest.starts(with: $0.text) }
            if found == nil, rest.count >= Self.leastBeginning { found = hidden.first { $0.text.starts(with: rest) } }
            output += found?.mark ?? [byte]
            rest = rest.dropFirst(found?.text.count ?? 1)
        }
        return output
    }
}
