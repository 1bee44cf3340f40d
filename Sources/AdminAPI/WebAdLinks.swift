import Access
import AdAttribution
import AuditTrail
import CampaignData
import Foundation
import Hummingbird
import Logging
import Observability
import PostbackIngest
import PostbackStore
import PostgresClient
import StrictJSON

/// `POST /v1/web-ads`: creates the link of a web ad, and stores what it stands for until it expires.
struct WebAdLinks: Sendable {
    /// The greatest number of bytes of a request.
    static let maximumBodySize = 16_384

    let keyRing: KeyRingInForce
    let store: PostbackStore
    let trail: Trail
    /// The default time for which a link is valid.
    let timeToLive: WebAdParameters.TimeToLive
    let clock: WallClock
    let logger: Logger
    let failed = RepeatedLine(.warning, "web ad not stored")

    /// The route.
    var route: AdminRoute {
        AdminRoute(
            method: .post, path: "/v1/web-ads", summary: "Creates the link of a web ad",
            needs: .scope(.sign), body: .webAd, status: .created, contentTypes: ["application/json"],
            answer: .webAdLink,
            problems: [.invalidBody, .bodyTooLarge, .conflict, .unavailable],
            handler: respond)
    }

    private func respond(to request: AdminRequest) async throws -> Response {
        let body = try await request.body(upTo: Self.maximumBodySize)
        let parameters: WebAdParameters
        do throws(ImpressionError) {
            parameters = try WebAdParameters(json: body)
        } catch {
            throw Problem(error)
        }
        guard keyRing.current.keyRing.signingKey(for: parameters.adNetworkID) != nil else {
            throw Problem(.invalidBody, field: "ad-network-id", rule: "has no private key in the key ring")
        }
        let response = try await store(parameters)
        trail.sum(.signing, by: request.actor, [("web_ads", 1)])
        return response
    }

    private func store(_ parameters: WebAdParameters) async throws(Problem) -> Response {
        let now = clock.milliseconds()
        let expiry = now + (parameters.timeToLive ?? timeToLive).seconds * 1_000
        let link = AttributableLink(
            itunesItemID: parameters.itunesItemID, attributionDestination: parameters.attributionDestination,
            nonce: parameters.nonce ?? Nonce(UUID()))
        do {
            try await store.add(
                WebAd(
                    nonce: link.nonce, adNetworkID: parameters.adNetworkID,
                    sourceIdentifier: parameters.sourceIdentifier, itunesItemID: parameters.itunesItemID,
                    destinationHost: parameters.attributionDestination.host,
                    createdAt: PostgresTimestamp(millisecondsSince1970: now),
                    expiresAt: PostgresTimestamp(millisecondsSince1970: expiry)))
        } catch let error as PostgresError where error.sqlState == .uniqueViolation {
            throw Problem(.conflict, field: "nonce", rule: "stands for another link already")
        } catch {
            failed.log(to: logger, ["error": "\(error)"])
            throw .unavailable()
        }
        var answer = JSONObjectText()
        answer.append("tag", link.tag)
        answer.append("href", link.href)
        answer.append("attributionDestination", link.attributionDestination.text)
        answer.append("attributionSourceNonce", link.attributionSourceNonce)
        answer.append("nonce", link.nonce.text)
        answer.append("expires-at", LogTimestamp(milliseconds: expiry).rfc3339)
        return .json(.created, answer.finished())
    }
}
