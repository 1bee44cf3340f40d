/// The check of a postback's signature by itself, whoever the postback is for.
public enum PostbackSignature {
    /// The first of the keys, in their order, that verifies the postback.
    ///
    /// - Throws: `invalid_signature` with the bytes that were checked, where none does.
    public static func key(of postback: Postback, among keys: [PostbackKey]) throws(PostbackRejection) -> PostbackKey {
        let message = postback.signedMessage
        for key in keys where key.key.curve == postback.curve {
            if key.key.isValid(signature: postback.signature, for: message.bytes) { return key }
        }
        throw .invalidSignature(postback, over: message)
    }

    /// What a postback counts as under the key that verified it.
    public static func environment(of postback: Postback, under key: PostbackKey) -> AttributionEnvironment {
        guard key.environment == .production else { return key.environment }
        return postback.source?.appID == .development ? .development : .production
    }
}
