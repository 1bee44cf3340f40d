import ArgumentParser
import Foundation

/// Where a request goes: an `http` or `https` URL.
struct HTTPTarget: Sendable, Equatable, CustomStringConvertible {
    /// The host, without the brackets of an IPv6 address.
    let host: String
    let port: Int
    let isTLS: Bool
    /// The path and the query, as they stand in the request.
    let path: String
    /// The host and, if it is not the usual one, the port.
    let authority: String

    /// Reads a URL; nil if it is no `http` or `https` URL of a host, or has a user or a fragment.
    init?(_ text: String) {
        // Nothing may end the line of the request.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URLComponents(string: text),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.password == nil, url.fragment == nil,
            (1...65_535).contains(url.port ?? 80)
        else { return nil }
        self.host = host.trimmingCharacters(in: ["[", "]"])
        isTLS = scheme == "https"
        port = url.port ?? (isTLS ? 443 : 80)
        let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        self.path = path + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
        let name = self.host.contains(":") ? "[\(self.host)]" : self.host
        authority = name + (url.port.map { ":\($0)" } ?? "")
    }

    /// Reads the value of an option.
    init(option text: String) throws {
        guard let target = HTTPTarget(text) else {
            throw ValidationError("It must be a URL such as https://example.com\(CopyPath.skAdNetwork.rawValue).")
        }
        self = target
    }

    /// The same server with another path.
    func at(path: String) -> HTTPTarget {
        HTTPTarget(isTLS: isTLS, host: host, port: port, path: path, authority: authority)
    }

    /// Whether this is a domain alone.
    var isDomain: Bool { path == "/" }

    /// The path of SKAdNetwork's postbacks if this is a domain alone.
    var forPostbacks: HTTPTarget { isDomain ? at(path: CopyPath.skAdNetwork.rawValue) : self }

    /// The path of notifications of the App Store if this is a domain alone.
    var forNotifications: HTTPTarget { isDomain ? at(path: "/v1/app-store/notifications") : self }

    private init(isTLS: Bool, host: String, port: Int, path: String, authority: String) {
        self.host = host
        self.port = port
        self.path = path
        self.authority = authority
        self.isTLS = isTLS
    }

    /// The URL.
    var description: String { "\(isTLS ? "https" : "http")://\(authority)\(path)" }

    /// Whether postbacks of AdAttributionKit are expected there.
    var isForAdAttributionKit: Bool { path.contains("/appattribution/") }
}
