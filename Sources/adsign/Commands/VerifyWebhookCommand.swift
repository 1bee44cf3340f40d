import ArgumentParser
import Destinations
import Foundation
import StrictJSON

/// The subcommand `adsign verify-webhook`.
struct VerifyWebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-webhook",
        abstract: "Verify the signature of a request that PostbackServer forwarded.",
        discussion: """
            Checks a signature of Standard Webhooks 1.0.0: HMAC-SHA256 (v1) or Ed25519 (v1a) over webhook-id, \
            webhook-timestamp and the body, byte for byte. Prints a line:
              {"verdict":"valid","webhook-id":"pb_0-42185168781313-2","key":"partner.pub","detail":null}
            The other verdict is invalid_signature, with the reason in "detail", and with null for the key.
            A key file has one line: whsec_… (HMAC, secret), whpk_… (Ed25519, public) or whsk_… (Ed25519, secret). \
            --key can be repeated: while a key is rotated, a signature under one of them is enough.
            The headers are read from a file with a header in each line, or given as options.
            The exit code is 0 if the signature is valid, 1 if it is not or if the time is beyond the tolerance, and 65 if \
            a header is missing or stands twice, or if a key is none.

            Examples:
              adsign verify-webhook --key partner.pub --headers headers.txt body.json
              adsign verify-webhook --key old.txt --key new.txt --webhook-id "$ID" \\
                --webhook-timestamp "$TIME" --webhook-signature "$SIGNATURE" < body.json
            """)

    @Option(name: .long, help: ArgumentHelp("The key; can be repeated.", valueName: "file"))
    var key: [String]

    @Option(
        name: .long,
        help: ArgumentHelp("The headers as they were received, or - for standard input.", valueName: "file"))
    var headers: String?

    @Option(name: .long, help: "The header webhook-id, in place of --headers.")
    var webhookID: String?

    @Option(name: .long, help: "The header webhook-timestamp, in place of --headers.")
    var webhookTimestamp: String?

    @Option(name: .long, help: "The header webhook-signature, in place of --headers.")
    var webhookSignature: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How far the timestamp may be from the present time: 0 to 86400, or any.", valueName: "seconds"))
    var tolerance = "\(StandardWebhooks.tolerance)"

    @Argument(help: "The body as it was received, or - for standard input.")
    var file = "-"

    /// The greatest number of bytes of a body.
    private static let largestBody = 1 << 20
    /// The greatest number of bytes of headers.
    private static let largestHead = 65_536

    /// The options for the headers: the values of all three, or none.
    private var given: WebhookHeaders? {
        guard let webhookID, let webhookTimestamp, let webhookSignature else { return nil }
        return WebhookHeaders(id: webhookID, timestamp: webhookTimestamp, signatures: webhookSignature)
    }

    func validate() throws {
        guard !key.isEmpty else { throw ValidationError("--key must be given.") }
        guard tolerance == "any" || (0...86_400).contains(Int(tolerance) ?? -1) else {
            throw ValidationError("--tolerance must be an integer from 0 to 86400, or any.")
        }
        let isAnyGiven = webhookID != nil || webhookTimestamp != nil || webhookSignature != nil
        guard headers == nil ? given != nil : !isAnyGiven else {
            throw ValidationError(
                "Give --headers, or all of --webhook-id, --webhook-timestamp and --webhook-signature.")
        }
        guard headers != "-" || file != "-" else {
            throw ValidationError("Only one of headers and body can be standard input.")
        }
    }

    func run() throws {
        let keys = try key.map(KeyFile.webhookKey)
        let head =
            try headers.map { try WebhookHeaders(head: InputFile.bytes(of: $0, atMost: Self.largestHead)) } ?? given
        // `validate` has refused it otherwise.
        guard let head else { throw CommandError(.usage, "headers: must be given") }
        let body = try InputFile.bytes(of: file, atMost: Self.largestBody)
        let index: Int
        do throws(WebhookProblem) {
            index = try StandardWebhooks.verify(
                signatures: head.signatures, id: head.id, timestamp: head.timestamp, body: body, keys: keys,
                now: Int64(Date().timeIntervalSince1970), tolerance: Int64(tolerance))
        } catch {
            try Self.write(verdict: "invalid_signature", id: head.id, key: nil, detail: error.description)
            throw CommandError(.verification)
        }
        try Self.write(verdict: "valid", id: head.id, key: key[index], detail: nil)
    }

    private static func write(verdict: String, id: String, key: String?, detail: String?) throws {
        func json(_ text: String?) -> String { text.map(JSONText.quoted) ?? "null" }
        try StandardStream.output(
            line: """
                {"verdict":"\(verdict)","webhook-id":\(json(id)),"key":\(json(key)),"detail":\(json(detail))}
                """)
    }
}
