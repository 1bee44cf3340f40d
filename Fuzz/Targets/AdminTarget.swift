import AdAttribution
import AdminAPI
import Foundation

/// Bodies of requests to sign: impressions in each form, one and many, links of web ads, and devices' questions for
/// them.
///
/// The first byte chooses the form.
package struct AdminTarget: FuzzTarget {
    package static let name = "admin"

    private let key: SigningKey
    private let now: MillisecondTimestamp

    package init() throws {
        key = try SigningKey.generate()
        guard let now = MillisecondTimestamp(1_763_700_000_000) else { throw Finding("no clock") }
        self.now = now
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let choice = Int(reader.byte() % 8)
        let body = reader.remainder()
        switch choice {
        case 0..<4: try checkImpression(body, ImpressionFormat.allCases[choice])
        case 4, 5: try checkArray(body)
        case 6: try checkWebAd(body)
        default: try checkQuestion(body)
        }
    }

    private func checkImpression(_ body: [UInt8], _ format: ImpressionFormat) throws {
        let parameters: ImpressionParameters
        do throws(ImpressionError) {
            parameters = try ImpressionParameters(json: body)
        } catch {
            return try check(error)
        }
        let other = try OtherParser(body)
        for field in ImpressionField.allCases {
            if let value = parameters[field] {
                try expect(other.agrees(value, of: field.rawValue), "another \(field.rawValue)")
            } else {
                try expect(other.object[field.rawValue] == nil, "\(field.rawValue) is lost")
            }
        }
        let request: ImpressionRequest
        do throws(FieldError) {
            request = try ImpressionRequest(parameters, format: format, now: now) { Nonce(UUID()) }
        } catch {
            return try check(.field(error))
        }
        let signed = try request.signed(with: key).jsonBytes
        // OpenRTB has two signatures.
        try expect(signed.count <= 4_096, "\(signed.count) bytes of \(body.count)")
        _ = try OtherParser(signed)
        let read = try AnySignedImpression.all(in: signed)
        try expect(
            read.allSatisfy { $0.isValid(under: key.publicKey) }, "an impression that was signed does not verify")
    }

    /// An array is taken apart as another parser takes it apart.
    private func checkArray(_ body: [UInt8]) throws {
        let items: [[UInt8]]?
        do throws(ImpressionError) {
            items = try ImpressionItems.items(of: body)
        } catch {
            return try check(error)
        }
        guard let items else { return }
        guard let array = OtherParser.read(body) as? [Any] else {
            throw Finding("another parser reads no array")
        }
        try expect(array.count == items.count, "\(items.count) items, \(array.count) to another parser")
        for (item, other) in zip(items, array) {
            try expect((OtherParser.read(item) as? NSObject) == (other as? NSObject), "another item")
        }
    }

    private func checkWebAd(_ body: [UInt8]) throws {
        let parameters: WebAdParameters
        do throws(ImpressionError) {
            parameters = try WebAdParameters(json: body)
        } catch {
            return try check(error)
        }
        let other = try OtherParser(body)
        try expect(other.text("ad-network-id") == parameters.adNetworkID.text, "another network")
        try expect(other.integer("itunes-item-id") == parameters.itunesItemID.value, "another app")
        try expect(other.integer("time-to-live") == parameters.timeToLive?.seconds, "another time to live")
        let link = AttributableLink(
            itunesItemID: parameters.itunesItemID, attributionDestination: parameters.attributionDestination,
            nonce: parameters.nonce ?? Nonce(UUID()))
        let inside = link.tag.dropFirst().dropLast()
        try expect(!inside.contains("<") && !inside.contains(">"), "a tag in a tag")
        try expect(inside.count { $0 == "\"" } == 6, "a quotation mark in an attribute")
    }

    private func checkQuestion(_ body: [UInt8]) throws {
        let question: SignedPayloadRequest
        do throws(ImpressionError) {
            question = try SignedPayloadRequest(json: body)
        } catch {
            return try check(error)
        }
        let other = try OtherParser(body)
        try expect(other.text("source_domain") == question.sourceDomain.text, "another domain")
        try expect(other.text("source_nonce") == question.nonce.base64URL, "another nonce")
    }

    private func check(_ error: ImpressionError) throws {
        try expect(!error.field.isEmpty && !error.rule.isEmpty, "a refusal without field or rule")
        try expect(error.description.utf8.count <= 500, "a refusal of \(error.description.utf8.count) bytes")
    }
}
