import AdAttribution
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PostbackStore
import PostgresClient

/// `POST /v1/impressions?format=json|storekit|openrtb|jws`: signs one impression or up to a thousand, each with its own
/// answer.
///
/// It never waits for the database: signed impressions are counted in memory, and the counts are stored later.
struct ImpressionSigning: Sendable {
    /// The greatest number of bytes of a request.
    static let maximumBodySize = 1 << 20
    /// The greatest number of impressions of a request.
    static let maximumCount = 1_000

    let keyRing: KeyRing
    let counter: ImpressionCounter
    let clock: WallClock
    let metrics: ServiceMetrics

    func respond(to request: Request) async throws -> Response {
        if let unknown = request.uri.queryParameters.first(where: { $0.key != "format" })?.key {
            return .error(.badRequest, field: String(unknown).prefix(bytes: 60), rule: "is no parameter of this path")
        }
        guard let format = format(of: request) else {
            let words = ImpressionFormat.allCases.map(\.rawValue).joined(separator: ", ")
            return .error(.badRequest, field: "format", rule: "must be one of \(words)")
        }
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.maximumBodySize)
        } catch is NIOTooManyBytesError {
            return .error(.contentTooLarge, field: "body", rule: "must have at most \(Self.maximumBodySize) bytes")
        }
        let body = Array(buffer.readableBytesView)
        do {
            guard let items = try ImpressionItems.items(of: body) else {
                return .json(.ok, try sign(body, format))
            }
            guard items.count <= Self.maximumCount else {
                return .error(.badRequest, field: "body", rule: "must have at most \(Self.maximumCount) impressions")
            }
            return .json(.ok, signAll(items, format))
        } catch {
            return .error(.badRequest, field: error.field, rule: error.rule)
        }
    }

    private func signAll(_ items: [[UInt8]], _ format: ImpressionFormat) -> [UInt8] {
        var output: [UInt8] = [UInt8(ascii: "[")]
        for item in items {
            if output.count > 1 { output.append(UInt8(ascii: ",")) }
            do throws(ImpressionError) {
                output.append(contentsOf: try sign(item, format))
            } catch {
                output.append(contentsOf: JSONErrorBody.text(field: error.field, rule: error.rule).utf8)
            }
        }
        output.append(UInt8(ascii: "]"))
        return output
    }

    private func sign(_ item: [UInt8], _ format: ImpressionFormat) throws(ImpressionError) -> [UInt8] {
        let now = clock.milliseconds()
        let parameters = try ImpressionParameters(json: item)
        do throws(FieldError) {
            guard let timestamp = MillisecondTimestamp(now) else {
                throw FieldError(field: "timestamp", rule: "is missing, and the clock is wrong")
            }
            let request = try ImpressionRequest(parameters, format: format, now: timestamp) { Nonce(UUID()) }
            guard let key = keyRing.signingKey(for: request.adNetworkID) else {
                throw FieldError(field: "ad-network-id", rule: "has no private key in the key ring")
            }
            let signed = try signed(request, with: key)
            metrics.countImpression(request.version)
            counter.count(ImpressionKey(request, signedAt: PostgresTimestamp(millisecondsSince1970: now)))
            return signed
        } catch {
            throw .field(error)
        }
    }

    private func signed(_ request: ImpressionRequest, with key: SigningKey) throws(FieldError) -> [UInt8] {
        do throws(KeyError) {
            return try request.signed(with: key).jsonBytes
        } catch {
            throw FieldError(field: "private-key", rule: "\(error)")
        }
    }

    /// The form that the request asks for, by default `json`; nil if it is unknown.
    private func format(of request: Request) -> ImpressionFormat? {
        let formats = request.uri.queryParameters.getAll("format")
        guard formats.count <= 1 else { return nil }
        return formats.first.map { ImpressionFormat(rawValue: $0) } ?? .json
    }
}
