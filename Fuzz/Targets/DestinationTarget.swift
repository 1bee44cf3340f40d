import Destinations
import Foundation

/// The file of a destination, and the request that it makes of an event.
///
/// The first byte chooses the event: its body, and whether the values that others write into a postback's delivery try to
/// break out of their place.
package struct DestinationTarget: FuzzTarget {
    package static let name = "destination"

    private let bodies: [[UInt8]]
    private let transactionID: UUID

    package init() throws {
        bodies = try AppleVectors().bodies
        guard let id = UUID(uuidString: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28") else { throw Finding("no UUID") }
        transactionID = id
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let event = event(reader.byte())
        let file = reader.remainder()
        let destination: Destination
        do throws(DestinationProblems) {
            destination = try Destination(document: file)
        } catch {
            return try check(error, last: file.count { $0 == UInt8(ascii: "\n") } + 1)
        }
        try expect(try OtherParser(file).text("name") == destination.name.description, "another name")
        try expect(
            zip(destination.secrets, destination.secrets.dropFirst()).allSatisfy(<), "secrets are not sorted, or twice")
        _ = destination.filter.matches(event)
        let request: PreparedRequest
        do throws(UnsendableEvent) {
            request = try destination.request(for: event)
        } catch {
            return try Readable.check(error.reason, limit: 3_000)
        }
        try check(request, of: destination, event)
    }

    /// A refusal names lines of the file and rules, in lines that are not long.
    private func check(_ refusal: DestinationProblems, last: Int) throws {
        try expect((1...100).contains(refusal.problems.count), "a refusal without problems")
        let lines = refusal.problems.map(\.line)
        try expect(lines == lines.sorted(), "problems are not in the order of their lines")
        for problem in refusal.problems {
            try expect((1...last).contains(problem.line), "line \(problem.line) of \(last)")
            try expect(!problem.place.isEmpty && !problem.rule.isEmpty, "a problem without place or rule")
            try Readable.check(problem.description, limit: 3_000)
        }
    }

    /// Nothing of an event changes where a request goes, adds a header, or stands for a secret.
    private func check(_ request: PreparedRequest, of destination: Destination, _ event: ForwardedEvent) throws {
        let schemes = destination.allowsHTTP ? ["https://", "http://"] : ["https://"]
        try expect(schemes.contains { request.url.hasPrefix($0) }, "another scheme: \(request.url)")
        try expect(request.url.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a blank in a URL: \(request.url)")
        try expect(secrets(in: request.url) == destination.url.secrets, "other secrets in a URL: \(request.url)")
        for (header, template) in zip(request.headers, destination.headers) {
            try expect(header.name == template.name, "another header")
            try expect(header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a header of several lines")
            try expect(
                secrets(in: header.value) == template.value.secrets, "other secrets in a header: \(header.value)")
        }
        try expect(request.headers.count - destination.headers.count == (request.body == nil ? 0 : 1), "other headers")
        try check(request.body, of: destination, event)
    }

    /// The secrets that are filled in when a request leaves; nil if its text is broken.
    private func secrets(in text: String) -> [SecretName]? {
        do throws(TemplateError) {
            return try RequestTemplate(text).secrets
        } catch {
            return nil
        }
    }

    private func check(_ body: [UInt8]?, of destination: Destination, _ event: ForwardedEvent) throws {
        switch destination.body {
        case .none: try expect(body == nil, "a body out of nothing")
        case .raw: try expect(body == event.body, "another body")
        case .template: try expect(body.map { OtherParser.read($0) != nil } ?? false, "a template makes no JSON")
        case .enriched(let members):
            guard let body, let original = event.body, let end = original.lastIndex(of: UInt8(ascii: "}")) else {
                throw Finding("an enriched body out of nothing")
            }
            try expect(
                body.starts(with: original[..<end]) && body.reversed().starts(with: original[end...].reversed()),
                "a body that changed")
            let names = Set(try OtherParser(original).object.keys).union(members.map(\.name))
            try expect(Set(try OtherParser(body).object.keys) == names, "other members")
        }
    }

    private func event(_ choice: UInt8) -> ForwardedEvent {
        let isHostile = choice & 1 != 0
        let isBare = choice & 2 != 0
        let text = isHostile ? "{secret:token}\"}\\/ä%0a&#{{" : "value"
        return ForwardedEvent(
            id: "0-42185168781313-2", kind: .accepted, transactionID: transactionID, environment: "production",
            protocolName: "skadnetwork", adNetworkID: "com.example", isDeveloperCopy: false,
            campaignType: "campaign-id", campaign: "42", advertisedAppID: 525_463_029, sequenceIndex: 0, didWin: true,
            conversionValue: isBare ? nil : 20, receivedAt: 1_710_439_480_123_456, version: isBare ? nil : "3.0",
            body: bodies[Int(choice >> 2) % bodies.count], sourceAddress: isBare ? nil : "17.58.56.232",
            userAgent: isBare ? nil : text + (choice & 128 != 0 ? "\r\nx: y" : ""),
            names: isBare ? nil : EventNames(campaignID: text, campaignName: text),
            meaning: isBare ? nil : EventMeaning(event: text, revenueLow: "0.99", revenueHigh: "4.99"))
    }
}
