import HummingbirdCore
import NIOHTTP1

/// What a request of the public listener asks for: postbacks, the signed payloads of web ads, notifications of the App
/// Store, and nothing else.
package enum PublicRoute {
    /// It delivers a postback.
    case postback
    /// It asks for the signed payload of a web ad.
    case signedPayload
    /// It delivers a notification of the App Store.
    case notification
    /// The path is known, and its method is POST.
    case otherMethod
    /// The path is not known.
    case nothing

    /// The paths of postbacks.
    ///
    /// Both take both protocols, because a network registers one URL for all postbacks.
    package static let postbackPaths = [
        "/.well-known/skadnetwork/report-attribution",
        "/.well-known/appattribution/report-attribution",
    ]

    /// Finds the route of a request.
    init(_ head: HTTPRequestHead) {
        let route = Self.route(of: head.uri)
        self = head.method == .POST ? route ?? .nothing : route == nil ? .nothing : .otherMethod
    }

    /// Whether notifications are at a target.
    ///
    /// The limits of bodies and the answers must agree on it, so both ask here.
    static func isNotification(_ target: String) -> Bool { route(of: target) == .notification }

    /// What is at a target, which may have a query, or a host before its path; nil if nothing is.
    static func route(of target: String) -> PublicRoute? {
        // A target with a query or a host is rare.
        routes[target] ?? routes[URI(target).path]
    }

    private static let routes: [String: PublicRoute] = {
        var routes: [String: PublicRoute] = [:]
        for path in postbackPaths {
            for spelling in spellings(path) { routes[spelling] = .postback }
        }
        for spelling in spellings(SignedPayloads.path) { routes[spelling] = .signedPayload }
        for spelling in spellings(NotificationIntake.path) { routes[spelling] = .notification }
        return routes
    }()

    /// A path as it may be written: a trailing slash makes no difference.
    private static func spellings(_ path: String) -> [String] { [path, path + "/"] }
}
