import AdAttribution
import ArgumentParser
import Foundation

/// The subcommand `adsign verify-postback`.
struct VerifyPostbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-postback",
        abstract: "Verify postbacks under Apple's keys and others.",
        discussion: """
            Reads postbacks as received: one a line, one over several lines, or an array. Prints a line for each:
              {"line":1,"verdict":"valid","environment":"production",
               "key":"apple-skadnetwork-p192","detail":null}
            The other verdicts are malformed, too_large, unsupported_version and invalid_signature, with the reason in \
            "detail" and null for environment and key. The conversion value and the country are not signed by Apple.
            Exits with 0 if all are valid, 1 if a verification failed, 65 if something is no postback.

            Example:
              adsign verify-postback postbacks.ndjson
              adsign simulate --seed 1 --count 10 --key test.pem | \\
                adsign verify-postback --public-key test.pub.pem
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "One more public key, PEM or base64; may be given again. Its postbacks count as test.",
            valueName: "file"))
    var publicKey: [String] = []

    @Argument(help: "The postbacks, or - for standard input.")
    var file = "-"

    func run() throws {
        let keys = try keys()
        try Verdicts.run(on: file, "postback") { record, line, verdicts in
            do throws(PostbackRejection) {
                let postback = try Postback(parsing: record)
                let key = try PostbackSignature.key(of: postback, among: keys)
                let environment = PostbackSignature.environment(of: postback, under: key)
                verdicts.append(
                    .valid, line: line,
                    [
                        ("verdict", "valid"), ("environment", environment.rawValue), ("key", key.name), ("detail", nil),
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

    private func keys() throws -> [PostbackKey] {
        var added: [PostbackKey] = []
        for path in publicKey {
            let key = try KeyFile.verificationKey(path, curves: Curve.allCases)
            do throws(FieldError) {
                let name = URL(fileURLWithPath: path).lastPathComponent
                added.append(try PostbackKey(name: name, environment: .test, key: key))
            } catch {
                throw Failure(.usage, "public-key: the file's \(error)")
            }
        }
        do throws(FieldError) {
            return try KeyRing(networks: [], postbackKeys: added).postbackKeys
        } catch {
            throw Failure(.usage, "public-key: \(error)")
        }
    }

    private static func outcome(_ reason: PostbackRejection.Reason) -> Verdicts.Outcome {
        switch reason {
        case .malformed, .tooLarge: .malformed
        case .unsupportedVersion, .unknownNetwork, .invalidSignature: .failed
        }
    }
}
