import Destinations
import Forwarding
import PageViews

/// A request to a destination and what was answered, as texts of the page.
enum AttemptText {
    /// The request with its body, and the answer if there is one.
    ///
    /// - Parameters:
    ///   - prefix: Begins the ids of the texts.
    ///   - answer: The first bytes of the answer's body.
    static func blocks(_ request: PreparedRequest, answer: [UInt8]?, prefix: String = "") -> [TextBlock] {
        let headers = request.headers + [HeaderField(name: "webhook-id", value: request.webhookID)]
        let lines = ["\(request.method.rawValue) \(request.url)"] + headers.map { "\($0.name): \($0.value)" }
        var blocks = [
            TextBlock(
                id: "\(prefix)request", heading: "Request",
                note: "Secrets stand as {secret:NAME} and are put in when it is sent, as time and signature are.",
                text: lines.joined(separator: "\n"))
        ]
        if let body = request.body {
            blocks.append(
                TextBlock(
                    id: "\(prefix)body", heading: "Body of the request",
                    note: "\(body.count) bytes; bytes that are no UTF-8 are shown as U+FFFD.",
                    text: String(decoding: body, as: UTF8.self)))
        }
        if let answer, !answer.isEmpty {
            blocks.append(
                TextBlock(
                    id: "\(prefix)answer", heading: "Answer",
                    note: "The first \(answer.count) bytes of its body; at most \(DeliveryAnswer.keptSize) are kept.",
                    text: String(decoding: answer, as: UTF8.self)))
        }
        return blocks
    }
}
