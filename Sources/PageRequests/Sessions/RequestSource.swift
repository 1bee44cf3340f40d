import Foundation
import HTTPTypes
import Hummingbird

/// Where a request of a browser comes from (Fetch Metadata, and RFC 6454).
enum RequestSource: Sendable, Equatable {
    /// A page of ours, or a program that is no browser.
    case own
    /// The address bar or a bookmark.
    case user
    /// A page of another origin.
    case other

    init(_ request: Request) {
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headers[$0] }) {
            switch site {
            case "same-origin": break
            case "none":
                self = .user
                return
            default:
                self = .other
                return
            }
        }
        guard let origin = HTTPField.Name("Origin").flatMap({ request.headers[$0] }) else {
            self = .own
            return
        }
        // A browser behind a proxy that speaks https has another scheme than we.
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        let isOwn =
            parts.count == 3 && ["http:", "https:"].contains(parts[0].lowercased())
            && parts[2].lowercased() == request.head.authority?.lowercased()
        self = isOwn ? .own : .other
    }
}
