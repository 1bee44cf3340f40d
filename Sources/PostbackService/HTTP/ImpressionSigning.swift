import AdAttribution
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PostbackStore
import PostgresClient

/// `POST /v1/impressions`: signs one impression, or up to a thousand of them, each answered by itself.
///
/// Never waits for the database: what was signed is counted in memory and flushed later.
struct ImpressionSigning: Sendable {
    /// The most bytes that a request may have.
    static let maximumBodySize = 1 << 20
    /// The most impressions that a request may have.
    static let maximumCount = 1_000

    let keyRing: KeyRing
    let counter: ImpressionCounter
    let clock: WallClock
    let metrics: ServiceMetrics

    func respond(to request: Request) async throws -> Response {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.maximumBodySize)
        } catch is NIOTooManyBytesError {
            return .error(.contentTooLarge, field: "body", rule: "must have at most \(Self.maximumBodySize) bytes")
        }
        let body = Array(buffer.readableBytesView)
        do {
            guard let items = try items(of: body) else {
                return .json(.ok, try sign(body).json.utf8)
            }
            guard items.count <= Self.maximumCount else {
                return .error(.badRequest, field: "body", rule: "must have at most \(Self.maximumCount) impressions")
            }
            return .json(.ok, signAll(items))
        } catch {
            return .error(.badRequest, field: error.field, rule: error.rule)
        }
    }

    /// The elements of an array, or nil where the body is not one.
    private func items(of body: [UInt8]) throws(ImpressionError) -> [[UInt8]]? {
        do throws(JSONError) {
            return try body.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                var scanner = JSONScanner(bytes, maximumDepth: 3)
                guard scanner.firstByte() == UInt8(ascii: "[") else { return nil }
                var items: [[UInt8]] = []
                try scanner.scanArrayDocument { (_, range) throws(JSONError) in items.append(Array(bytes[range])) }
                return items
            }
        } catch {
            throw .json(byteOffset: error.offset, rule: error.rule.rawValue)
        }
    }

    private func signAll(_ items: [[UInt8]]) -> [UInt8] {
        var output: [UInt8] = [UInt8(ascii: "[")]
        for item in items {
            if output.count > 1 { output.append(UInt8(ascii: ",")) }
            do throws(ImpressionError) {
                output.append(contentsOf: try sign(item).json.utf8)
            } catch {
                output.append(contentsOf: JSONErrorBody.text(field: error.field, rule: error.rule).utf8)
            }
        }
        output.append(UInt8(ascii: "]"))
        return output
    }

    private func sign(_ item: [UInt8]) throws(ImpressionError) -> SignedImpression {
        let now = clock.milliseconds()
        var parameters = try ImpressionParameters(json: item)
        if parameters.nonce == nil { parameters.nonce = Nonce(UUID()) }
        if parameters.timestamp == nil { parameters.timestamp = MillisecondTimestamp(now) }
        let impression: Impression
        do {
            impression = try Impression(parameters)
        } catch {
            throw .field(error)
        }
        guard let key = keyRing.signingKey(for: impression.adNetworkID) else {
            throw .field(FieldError(field: "ad-network-id", rule: "has no private key in the key ring"))
        }
        do {
            let signed = try SignedImpression(signing: impression, with: key)
            metrics.countImpression(impression.version)
            counter.count(
                ImpressionKey(impression, signedAt: PostgresTimestamp(millisecondsSince1970: now)))
            return signed
        } catch {
            throw .field(FieldError(field: "private-key", rule: "\(error)"))
        }
    }
}
