import AdAttribution
import ArgumentParser

/// The subcommand `adsign verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify signed impressions with the network's public key.",
        discussion: """
            Reads what sign prints with any --format: json, storekit, openrtb or jws, also mixed. One object or compact JWS \
            a line, one object over several lines, or an array. An object without a version is an impression of 1.0. \
            Prints a line for each: {"line":1,"verdict":"valid"}. An object of OpenRTB is valid if the signature of each \
            fidelity is. The other verdicts, invalid_signature and malformed, have a "detail".
            --public-key can be repeated: while a network changes its key, impressions under the old and the new one are \
            valid. The verdict then names the file of the key, as "key".
            The exit code is 0 if all are valid, 1 if a signature is not, and 65 if a record is not a signed impression.

            Examples:
              adsign verify --public-key network.pub.pem impression.json
              adsign verify --public-key old.pub.pem \\
                --public-key new.pub.pem impressions.ndjson
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The public key: PEM, or base64 as Apple prints its keys. Repeat it for other keys.", valueName: "file"))
    var publicKey: [String]

    @Flag(name: .long, help: "Show before each verdict what is signed, field by field.")
    var explain = false

    @Argument(help: "The impressions, or - for standard input.")
    var file = "-"

    func validate() throws {
        guard !publicKey.isEmpty else { throw ValidationError("--public-key must be given.") }
    }

    func run() throws {
        let keys = try publicKey.map { (file: $0, key: try KeyFile.verificationKey($0, curves: [.p256])) }
        try Verdicts.run(on: file, "impression") { [explain] record, line, verdicts in
            do throws(ImpressionError) {
                let impressions = try AnySignedImpression.all(in: record)
                if explain { for impression in impressions { verdicts.append(impression.explanation) } }
                let signers = impressions.map { impression in keys.first { impression.isValid(under: $0.key) } }
                if let wrong = signers.firstIndex(where: { $0 == nil }) {
                    // Only OpenRTB has more than one in a record.
                    let place = impressions.count > 1 ? "fidelities[\(wrong)]." : ""
                    verdicts.append(
                        .failed, line: line,
                        [
                            ("verdict", "invalid_signature"),
                            ("detail", place + impressions[wrong].refusal(ofKeys: keys.count)),
                        ])
                } else {
                    var members: [(name: String, text: String?)] = [("verdict", "valid")]
                    if keys.count > 1, let signer = signers.first ?? nil { members.append(("key", signer.file)) }
                    verdicts.append(.valid, line: line, members)
                }
            } catch {
                verdicts.append(
                    .malformed, line: line, [("verdict", "malformed"), ("detail", error.description)])
            }
        }
    }
}

extension AnySignedImpression {
    /// The text for a signature that does not verify.
    fileprivate func refusal(ofKeys count: Int) -> String {
        let keys = count == 1 ? "the key does not verify it" : "none of the keys verifies it"
        return switch self {
        case .skAdNetwork(let signed):
            "signature: \(keys) over the signed fields of version \(signed.impression.version)"
        case .adAttributionKit: "jws-string: \(keys)"
        }
    }
}
