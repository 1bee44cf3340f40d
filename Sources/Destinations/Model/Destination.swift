/// Who gets postbacks, which ones, and how: what a destination's file says.
///
/// `docs/forwarding.md` describes the file. Only a file that obeys all rules makes a destination.
package struct Destination: Sendable, Equatable {
    /// The name.
    package let name: DestinationName
    /// Which events it gets.
    package let filter: DestinationFilter
    /// The method of its requests.
    package let method: DestinationMethod
    /// The URL, with macros and secrets behind its host only.
    package let url: RequestTemplate
    /// The headers of its own, in the order of the file; no name stands twice.
    package let headers: [HeaderTemplate]
    /// What its requests carry.
    package let body: DestinationBody
    /// The media type of the body.
    package let contentType: String
    /// What happens to an event that lacks the value of a macro.
    package let missing: MissingValue
    /// The secrets that sign its requests, in order; empty if they are not signed.
    package let signing: [SecretName]
    /// How much at once.
    package let limits: DestinationLimits
    /// Which answers count as delivered.
    package let success: SuccessRule
    /// When a delivery that failed is tried again.
    package let retry: RetrySchedule
    /// After how long without any success it is switched off, once something failed.
    package let disableAfter: Duration
    /// Whether its URL may begin with `http://`.
    package let allowsHTTP: Bool
    /// The certificates of authorities to trust instead of the system's, as PEM.
    package let certificateAuthority: String?

    /// The greatest number of bytes of a file.
    package static let maximumSize = 131_072
    /// The greatest number of objects and arrays around a value of a file.
    static let maximumDepth = 16
    /// The media type if the file says none.
    package static let defaultContentType = "application/json"
    /// `disable-after` if the file says none: 5 days.
    package static let defaultDisableAfter = Duration.seconds(5 * 86_400)

    /// All secrets that its URL, its headers and its signatures name, sorted, each once.
    package var secrets: [SecretName] {
        Set(url.secrets + headers.flatMap(\.value.secrets) + signing).sorted()
    }
}
