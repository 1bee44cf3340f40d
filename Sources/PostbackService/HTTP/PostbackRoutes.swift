import AdAttribution
import Hummingbird
import NIOCore

/// The public listener: postbacks, and nothing else.
enum PostbackRoutes {
    /// Where devices send postbacks; both paths take both protocols, since a network registers one URL for all.
    static let paths = [
        "/.well-known/skadnetwork/report-attribution",
        "/.well-known/appattribution/report-attribution",
    ]

    static func table(_ receiver: PostbackReceiver) -> RouteTable<BasicRequestContext> {
        var table = RouteTable<BasicRequestContext>()
        for path in paths {
            table.on(.post, path) { request, _ in
                let body: ByteBuffer
                do {
                    body = try await request.body.collect(upTo: Postback.maximumBodySize)
                } catch is NIOTooManyBytesError {
                    return PostbackAnswer(outcome: .tooLarge, detail: PostbackRejection.tooLarge.detail).response
                }
                return await receiver.receive(Array(body.readableBytesView)).response
            }
        }
        return table
    }
}
