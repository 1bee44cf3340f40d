import AdAttribution
import ArgumentParser

/// The subcommand `adsign verify-postback`.
struct VerifyPostbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-postback",
        abstract: "Verify postbacks with Apple's keys and others.",
        discussion: """
            Reads postbacks as received: one a line, one over several lines, or an array. Prints a line for each:
              {"line":1,"verdict":"valid","environment":"production",
               "key":"apple-skadnetwork-p192","detail":null}
            The other verdicts are malformed, too_large, unsupported_version and invalid_signature. They have the reason in \
            "detail", and null for environment and key. If a relay's change was undone, the "detail" of a valid postback \
            says so. Apple does not sign the conversion value and the country.
            --explain shows before each verdict what the signature covers: the fields in order, the signed string with \
            visible separators, its bytes and their SHA-256.
            The exit code is 0 if all are valid, 1 if a verification failed, and 65 if a record is not a postback.

            Example:
              adsign verify-postback postbacks.ndjson
              adsign verify-postback --explain postback.json
              adsign simulate --seed 1 --count 10 --key test.pem | \\
                adsign verify-postback --public-key test.pub.pem
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "One more public key, PEM or base64; can be repeated. Its postbacks count as test. The name is that of the "
                + "key ring, which is the kid in AdAttributionKit. Without a name, it is tried for every kid but Apple's.",
            valueName: "[name=]file"))
    var publicKey: [String] = []

    @Flag(name: .long, help: "Show before each verdict what the signature covers, field by field.")
    var explain = false

    @Argument(help: "The postbacks, or - for standard input.")
    var file = "-"

    func run() throws {
        let keys = try PostbackKeys(publicKey)
        try Verdicts.run(on: file, "postback") { [explain] record, line, verdicts in
            do throws(PostbackRejection) {
                let postback = try Postback(parsing: record)
                if explain { verdicts.append(SignatureExplanation(postback)) }
                let signature = try PostbackSignature(checking: postback, among: keys.keys(for: postback))
                if explain, signature.postback.signedMessage != postback.signedMessage {
                    verdicts.append(SignatureExplanation(signature.postback))
                }
                verdicts.append(
                    .valid, line: line,
                    [
                        ("verdict", "valid"), ("environment", signature.environment.rawValue),
                        ("key", signature.key.name),
                        ("detail", signature.postback.isRelayNormalised ? Self.normalised : nil),
                    ])
            } catch {
                verdicts.append(
                    Self.outcome(error.reason), line: line,
                    [
                        ("verdict", error.reason.rawValue), ("environment", nil), ("key", nil),
                        ("detail", error.detail),
                    ])
            }
        }
    }

    private static let normalised = "relay_normalised: a relay added or changed fields that Apple did not sign"

    private static func outcome(_ reason: PostbackRejection.Reason) -> Verdicts.Outcome {
        switch reason {
        case .malformed, .tooLarge: .malformed
        case .unsupportedVersion, .unknownNetwork, .invalidSignature: .failed
        }
    }
}
