/// A postback whose signature verifies, for any network and app.
///
/// `adsign verify-postback` asks for no more than this.
package struct PostbackSignature: Sendable {
    /// The postback as it was signed, without what a relay added.
    package let postback: Postback
    /// The key that verified it.
    package let key: PostbackKey

    /// Checks one signature under keys that are used this once.
    ///
    /// - Throws: `invalid_signature` with the bytes that were checked.
    package init(checking postback: Postback, among keys: [PostbackKey]) throws(PostbackRejection) {
        var postbacks = [postback]
        let found = OrderedPostbackKeys(keys).find(for: &postbacks)
        guard let signed = postbacks.first, case let key?? = found.first else { throw .invalidSignature(postback) }
        self.postback = signed
        self.key = key
    }

    /// The environment of the postback under the key.
    package var environment: AttributionEnvironment { key.environment(of: postback) }
}
