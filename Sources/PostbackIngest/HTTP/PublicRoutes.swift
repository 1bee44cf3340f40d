import AdAttribution
import Hummingbird
import NIOCore

/// The public listener: postbacks and the signed payloads of web ads, and nothing else.
enum PublicRoutes {
    /// Where devices send postbacks; both paths take both protocols, since a network registers one URL for all.
    static let postbackPaths = [
        "/.well-known/skadnetwork/report-attribution",
        "/.well-known/appattribution/report-attribution",
    ]

    static func table(
        _ receiver: PostbackReceiver, _ payloads: SignedPayloads, origins: DeliveryOriginReader
    ) -> RouteTable<PublicRequestContext> {
        var table = RouteTable<PublicRequestContext>()
        for path in postbackPaths {
            table.on(.post, path) { request, context in
                let origin = origins.origin(of: context.peer, request.headers)
                let body: ByteBuffer
                do {
                    body = try await request.body.collect(upTo: Postback.maximumBodySize)
                } catch is NIOTooManyBytesError {
                    return PostbackAnswer(outcome: .tooLarge, detail: PostbackRejection.tooLarge.detail).response
                }
                return await receiver.receive(Array(body.readableBytesView), from: origin).response
            }
        }
        table.on(.post, SignedPayloads.path) { request, _ in try await payloads.respond(to: request) }
        return table
    }
}
