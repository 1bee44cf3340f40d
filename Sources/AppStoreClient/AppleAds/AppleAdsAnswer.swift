/// What a request to exchange a token of Apple Ads came to (Apple, "attributionToken()", response codes).
///
/// It contains no token, and no text of Apple's but that of a record.
package enum AppleAdsAnswer: Sendable, Equatable {
    /// 200: what Apple knows of the install.
    case record(AppleAdsRecord)
    /// 404: Apple does not know the token yet, or not any more.
    case notFound
    /// 400: it is no token.
    case badToken
    /// There is no answer that can be used; a later request may have one.
    case later(reason: String)
}
