import AdAttribution
import CampaignData
import HTTPTypes
package import Logging
import NIOPosix
package import Observability
package import PostbackStore
import PostgresClient

/// `POST /.well-known/skadnetwork/get-signed-payload`: the signed payload of a web ad, once for each nonce.
///
/// Anybody may ask. So only a limited number of requests ask the database at once, and the others get 503.
package struct SignedPayloads: Sendable {
    /// The path of devices' requests, on the eTLD+1 of a link's destination.
    package static let path = "/.well-known/skadnetwork/get-signed-payload"

    let keyRing: KeyRingInForce
    let store: PostbackStore
    let counter: ImpressionCounter
    let clock: WallClock
    let metrics: ServiceMetrics
    let gate: AdmissionGate
    let logger: Logger
    let failed = RepeatedLine(.warning, "web ad not answered")
    let keyMissing = RepeatedLine(.error, "web ad can't be signed: no private key")

    /// Takes the values.
    package init(
        keyRing: KeyRingInForce, store: PostbackStore, counter: ImpressionCounter, clock: WallClock,
        metrics: ServiceMetrics,
        gate: AdmissionGate, logger: Logger
    ) {
        self.keyRing = keyRing
        self.store = store
        self.counter = counter
        self.clock = clock
        self.metrics = metrics
        self.gate = gate
        self.logger = logger
    }

    /// Answers the body of a request.
    package func answer(to body: [UInt8]) async -> JSONAnswer {
        let question: SignedPayloadRequest
        do throws(ImpressionError) {
            question = try SignedPayloadRequest(json: body)
        } catch {
            return .error(.badRequest, field: error.field, rule: error.rule)
        }
        guard gate.enter() else { return .unavailable }
        defer { gate.leave() }
        do {
            return try await answer(question)
        } catch {
            failed.log(to: logger, ["error": "\(error)"])
            return .unavailable
        }
    }

    private func answer(_ question: SignedPayloadRequest) async throws -> JSONAnswer {
        let now = clock.milliseconds()
        let time = PostgresTimestamp(millisecondsSince1970: now)
        guard let webAd = try await store.webAd(question.nonce, at: time) else { return Self.unknown }
        guard let destination = AttributionDestination("https://" + webAd.destinationHost),
            destination.isIn(question.sourceDomain)
        else {
            return .error(.badRequest, field: "source_domain", rule: "must be that of the link's destination")
        }
        guard let key = keyRing.current.keyRing.signingKey(for: webAd.adNetworkID),
            let timestamp = MillisecondTimestamp(now)
        else {
            keyMissing.log(to: logger, ["ad_network_id": "\(webAd.adNetworkID.text)"])
            return .unavailable
        }
        let impression = try webAd.impression(on: question.sourceDomain, at: timestamp)
        // The payload is signed before the nonce is claimed. So a nonce is not used if the payload can't be made.
        guard let payload = try await signed(impression, with: key).signedPayloadJSON,
            try await store.claimWebAd(question.nonce, at: time)
        else { return Self.unknown }
        metrics.countImpression(impression.version)
        counter.count(ImpressionKey(impression, signedAt: time))
        return JSONAnswer(.ok, String(decoding: payload, as: UTF8.self))
    }

    /// Signs an impression; if a token does that, on a thread that may wait, since other tasks need theirs.
    private func signed(_ impression: Impression, with key: SigningKey) async throws -> SignedImpression {
        guard key.isInToken else { return try SignedImpression(signing: impression, with: key) }
        return try await NIOThreadPool.singleton.runIfActive { try SignedImpression(signing: impression, with: key) }
    }

    /// The answer if a nonce is unknown, has expired or was answered before.
    private static let unknown = JSONAnswer.error(
        .notFound, field: "source_nonce", rule: "is not known, or was answered before")
}

extension WebAd {
    /// The impression for the device.
    fileprivate func impression(
        on domain: SourceDomain, at timestamp: MillisecondTimestamp
    ) throws(FieldError) -> Impression {
        var parameters = ImpressionParameters()
        parameters.version = .v4_0
        parameters.adNetworkID = adNetworkID
        parameters.sourceIdentifier = sourceIdentifier
        parameters.itunesItemID = itunesItemID
        parameters.nonce = nonce
        parameters.sourceDomain = domain
        parameters.timestamp = timestamp
        return try Impression(parameters)
    }
}
