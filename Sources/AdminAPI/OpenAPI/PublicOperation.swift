import HTTPTypes
import PostbackIngest
import StrictJSON

/// A path of the public listener as OpenAPI describes it; its method is POST.
struct PublicOperation {
    let path: String
    private let summary: String
    private let body: OpenAPISchema
    private let answers: [(status: HTTPResponse.Status, description: String, schema: OpenAPISchema)]

    /// All paths.
    static let all =
        PublicRoute.postbackPaths.map { path in
            PublicOperation(
                path: path, summary: "Takes a postback of SKAdNetwork or AdAttributionKit", body: .postback,
                answers: [
                    (.ok, "it is stored, now or before", .postbackAnswer),
                    (.badRequest, "it breaks a rule, which is named", .postbackAnswer),
                    (.forbidden, "its signature or its network is not known", .postbackAnswer),
                    (.contentTooLarge, "it is too large", .postbackAnswer),
                    (.unprocessableContent, "its version is not known", .postbackAnswer),
                    (
                        .internalServerError, "it is not stored; AdAttributionKit delivers again after this",
                        .postbackAnswer
                    ),
                    (.serviceUnavailable, "it is not stored; SKAdNetwork delivers again", .postbackAnswer),
                ])
        } + [
            PublicOperation(
                path: SignedPayloads.path, summary: "Answers a device with the signed payload of a web ad",
                body: .signedPayloadRequest,
                answers: [
                    (.ok, "the payload, once for each nonce", .signedPayload),
                    (.badRequest, "the request breaks a rule, which is named", .error),
                    (.notFound, "the nonce is not known, or was answered before", .error),
                    (.contentTooLarge, "it is too large", .error),
                    (.serviceUnavailable, "the database did not answer", .error),
                ]),
            PublicOperation(
                path: NotificationIntake.path, summary: "Takes a notification of the App Store, version 1 or 2",
                body: .storeNotification,
                answers: [
                    (.ok, "it is stored, now or before", .storeNotificationAnswer),
                    (.badRequest, "it breaks a rule, which is named", .storeNotificationAnswer),
                    (.forbidden, "its signature, its secret or its app is not known", .storeNotificationAnswer),
                    (.notFound, "the key ring names no app of the App Store", .error),
                    (.contentTooLarge, "it is too large", .storeNotificationAnswer),
                    (.serviceUnavailable, "it is not stored; the App Store delivers again", .storeNotificationAnswer),
                ]),
        ]

    /// The operation.
    var document: JSONDocument {
        // The guard of a connection answers in its own form, before anybody knows what the body is.
        let guarded: [HTTPResponse.Status] = [
            .badRequest, .requestTimeout, .contentTooLarge, .requestHeaderFieldsTooLarge,
        ]
        return [
            "summary": .string(summary),
            "requestBody": ["required": true, "content": body.content],
            "responses": OpenAPIDocument.responses(
                answers.map { answer in
                    let schema: JSONDocument =
                        guarded.contains(answer.status)
                        ? ["anyOf": [answer.schema.reference, OpenAPISchema.refusedRequest.reference]]
                        : answer.schema.reference
                    return (answer.status, answer.description, [(type: "application/json", schema: schema)])
                }
                    + guarded.filter { status in !answers.contains { $0.status == status } }.map {
                        (
                            $0, "the request is refused",
                            [(type: "application/json", schema: OpenAPISchema.refusedRequest.reference)]
                        )
                    }),
        ]
    }
}
