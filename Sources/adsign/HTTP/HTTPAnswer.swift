import Foundation

/// What a server answered.
struct HTTPAnswer: Sendable, Equatable {
    let status: Int
    /// The header `Location`.
    let location: String?
    /// The first bytes of the body.
    let beginning: [UInt8]

    /// How many bytes of a body are kept.
    static let kept = 2_048

    /// `outcome` of the answer of a PostbackServer; nil if it is something else.
    var outcome: String? {
        let object = try? JSONSerialization.jsonObject(with: Data(beginning)) as? [String: Any]
        return object?["outcome"] as? String
    }
}

/// Why there was no answer.
enum HTTPError: Error, Equatable {
    /// There was none in time.
    case timeout
    /// The server closed the connection.
    case closed
    /// Of the answer, more came than is read.
    case tooLong
}
