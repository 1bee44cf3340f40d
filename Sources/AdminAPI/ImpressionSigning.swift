import Access
package import AdAttribution
import AuditTrail
import Foundation
import HTTPTypes
import Hummingbird
import Observability
import PostbackIngest
import PostbackStore
import PostgresClient
import StrictJSON

/// `POST /v1/impressions?format=json|storekit|openrtb|jws`: signs one impression or up to a thousand, each with its own
/// answer.
///
/// It never waits for the database: signed impressions are counted in memory, and the counts are stored later.
package struct ImpressionSigning: Sendable {
    /// The greatest number of bytes of a request.
    package static let maximumBodySize = 1 << 20
    /// The greatest number of impressions of a request.
    static let maximumCount = 1_000

    let keyRing: KeyRingInForce
    let counter: ImpressionCounter
    let trail: Trail
    let clock: WallClock
    let metrics: ServiceMetrics

    /// The route.
    var route: AdminRoute {
        let formats = ImpressionFormat.allCases.map(\.rawValue)
        return AdminRoute(
            method: .post, path: "/v1/impressions", summary: "Signs one impression, or an array of them",
            needs: .scope(.sign),
            query: .parameters([
                .init(
                    name: "format", meaning: "the form of the answer; json by default",
                    rule: "must be one of \(formats.joined(separator: ", "))", choices: formats)
            ]), body: .impressions, contentTypes: ["application/json"], answer: .signedImpressions,
            problems: [.invalidBody, .bodyTooLarge, .unavailable], handler: respond)
    }

    private func respond(to request: AdminRequest) async throws -> Response {
        let format = request["format"].flatMap { ImpressionFormat(rawValue: $0) } ?? .json
        let body = try await request.body(upTo: Self.maximumBodySize)
        // All impressions of a request are signed under one key ring.
        let keyRing = keyRing.current.keyRing
        do throws(SigningError) {
            guard let items = try Self.items(of: body) else {
                let signed = try sign(body, format, keyRing)
                note(1, request)
                return .json(.ok, signed)
            }
            guard items.count <= Self.maximumCount else {
                throw SigningError.impression(
                    .field(FieldError(field: "body", rule: "must have at most \(Self.maximumCount) impressions")))
            }
            let (output, count) = signAll(items, format, keyRing)
            note(count, request)
            return .json(.ok, output)
        } catch {
            throw error.problem
        }
    }

    private static func items(of body: [UInt8]) throws(SigningError) -> [[UInt8]]? {
        do throws(ImpressionError) {
            return try ImpressionItems.items(of: body)
        } catch {
            throw .impression(error)
        }
    }

    /// Counts signed impressions for the token.
    private func note(_ count: Int64, _ request: AdminRequest) {
        if count > 0 { trail.sum(.signing, by: request.actor, [("impressions", count)]) }
    }

    /// The answer, and how many were signed.
    private func signAll(
        _ items: [[UInt8]], _ format: ImpressionFormat, _ keyRing: KeyRing
    ) -> (output: [UInt8], count: Int64) {
        var output: [UInt8] = [UInt8(ascii: "[")]
        var count: Int64 = 0
        for item in items {
            if output.count > 1 { output.append(UInt8(ascii: ",")) }
            do throws(SigningError) {
                output.append(contentsOf: try sign(item, format, keyRing))
                count += 1
            } catch {
                let problem = error.problem
                output.append(contentsOf: "{\(JSONText.error(field: problem.field, rule: problem.rule))}".utf8)
            }
        }
        output.append(UInt8(ascii: "]"))
        return (output, count)
    }

    private func sign(
        _ item: [UInt8], _ format: ImpressionFormat, _ keyRing: KeyRing
    ) throws(SigningError) -> [UInt8] {
        let now = clock.milliseconds()
        let (request, key) = try Self.request(item, format, now: now, keyRing)
        let signed: [UInt8]
        do throws(KeyError) {
            signed = try request.signed(with: key).jsonBytes
        } catch {
            throw .key(error)
        }
        metrics.countImpression(request.version)
        counter.count(ImpressionKey(request, signedAt: PostgresTimestamp(millisecondsSince1970: now)))
        return signed
    }

    /// What is to be signed, and the key for it.
    private static func request(
        _ item: [UInt8], _ format: ImpressionFormat, now: Int64, _ keyRing: KeyRing
    ) throws(SigningError) -> (ImpressionRequest, SigningKey) {
        do throws(ImpressionError) {
            let parameters = try ImpressionParameters(json: item)
            do throws(FieldError) {
                guard let timestamp = MillisecondTimestamp(now) else {
                    throw FieldError(field: "timestamp", rule: "is missing, and the clock is wrong")
                }
                let request = try ImpressionRequest(parameters, format: format, now: timestamp) { Nonce(UUID()) }
                guard let key = keyRing.signingKey(for: request.adNetworkID) else {
                    throw FieldError(field: "ad-network-id", rule: "has no private key in the key ring")
                }
                return (request, key)
            } catch {
                throw ImpressionError.field(error)
            }
        } catch {
            throw SigningError.impression(error)
        }
    }
}

/// Why an impression is not signed.
private enum SigningError: Error {
    /// It breaks a rule.
    case impression(ImpressionError)
    /// The key did not sign, as one of a token that does not answer.
    case key(KeyError)

    var problem: Problem {
        switch self {
        case .impression(let error): Problem(error)
        case .key(let error): .unavailable("private-key", rule: error.description)
        }
    }
}

/// Takes the body of a request with many impressions apart.
package enum ImpressionItems {
    /// The elements of an array; nil if the body is not an array.
    package static func items(of body: [UInt8]) throws(ImpressionError) -> [[UInt8]]? {
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
}
