/// What the trail knows of: things that people and programs do with the service.
package enum TrailAction: String, Sendable, CaseIterable {
    /// Somebody signed in to the page.
    case signIn = "sign-in"
    /// Somebody signed out.
    case signOut = "sign-out"
    /// Wrong tokens were refused; a row is the sum of a minute and an address.
    case refusal = "refusal"
    /// Somebody asked for what their scopes do not allow; a row is the sum of a minute and an address.
    case denial = "denial"
    /// Impressions and links of web ads; a row is the sum of ten minutes, a token and an address.
    case signing = "signing"
    /// A file was loaded.
    case load = "load"
    /// A load was taken back.
    case takeBack = "take-back"
    /// Tokens of Apple Ads were taken; a row is the sum of a minute, a token of this server and an address.
    case appleAds = "apple-ads"
    /// An identifier was given out.
    case allocation = "allocation"
    /// An identifier was retired.
    case retirement = "retirement"
    /// Refused bodies were verified again.
    case reprocessing = "reprocessing"
    /// Figures that a recount had found wrong were summed anew.
    case repair = "repair"
    /// A person's address was removed.
    case forgetting = "forgetting"
    /// A server read its key ring, its tokens and its certificate again.
    case reload = "reload"
    /// A named reader of the log was made or moved.
    case readerMove = "reader-move"
    /// A named reader of the log was removed.
    case readerRemoval = "reader-removal"
    /// A destination of forwarding was added or replaced.
    case destinationLoad = "destination-load"
    /// A destination was removed.
    case destinationRemoval = "destination-removal"
    /// A destination was paused by a person.
    case destinationPause = "destination-pause"
    /// A destination that was paused or off sends again.
    case destinationResumption = "destination-resumption"
    /// A made-up postback was sent to a destination.
    case destinationTest = "destination-test"
    /// Dead letters are tried again.
    case deliveryRetry = "delivery-retry"
    /// Events of some days are sent once more.
    case deliveryReplay = "delivery-replay"
    /// A token was added to `tokens.json`.
    case tokenAddition = "token-addition"
    /// A token was revoked.
    case tokenRevocation = "token-revocation"

    /// What the log says.
    var sentence: String {
        switch self {
        case .signIn: "signed in to the page"
        case .signOut: "signed out of the page"
        case .refusal: "wrong tokens were refused"
        case .denial: "requests were refused for lack of a scope"
        case .signing: "impressions were signed"
        case .load: "a file was loaded"
        case .takeBack: "a load was taken back"
        case .appleAds: "tokens of Apple Ads were taken"
        case .allocation: "an identifier was given out"
        case .retirement: "an identifier was retired"
        case .reprocessing: "refused bodies were verified again"
        case .repair: "figures were summed anew"
        case .forgetting: "an address was removed"
        case .reload: "files were read again"
        case .readerMove: "a reader of the log was moved"
        case .readerRemoval: "a reader of the log was removed"
        case .destinationLoad: "a destination was loaded"
        case .destinationRemoval: "a destination was removed"
        case .destinationPause: "a destination was paused"
        case .destinationResumption: "a destination sends again"
        case .destinationTest: "a test was sent to a destination"
        case .deliveryRetry: "dead letters are tried again"
        case .deliveryReplay: "events of some days are sent once more"
        case .tokenAddition: "a token was added"
        case .tokenRevocation: "a token was revoked"
        }
    }
}
