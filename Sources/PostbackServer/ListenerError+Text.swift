import PostbackService
import ServerSettings
import StrictJSON

extension ListenerError: CustomStringConvertible {
    /// One line: the setting, the place, the problem and what to do.
    package var description: String {
        let place = JSONText.line(place)
        switch problem {
        case .isTaken:
            return "\(setting): another program listens at \(place); end it, or choose another \(word)"
        case .isForbidden where isSocket:
            return "\(setting): \(place): no permission; let this user write to its folder, or choose another path"
        case .isForbidden:
            return "\(setting): \(place): no permission; a port below 1024 needs CAP_NET_BIND_SERVICE (systemd: "
                + "AmbientCapabilities=), or choose another port"
        case .isElsewhere:
            return
                "\(host): \(place): this machine does not have that address; choose one of its own, or 0.0.0.0 for all"
        case .isUnknown: return "\(host): \(place): there is no address for that name"
        case .other(let reason): return "\(setting): \(place): \(reason); choose another \(word)"
        }
    }

    private var isSocket: Bool { name == "admin_socket" }
    private var word: String { isSocket ? "path" : "port" }
    private var setting: String {
        (isSocket ? .adminSocket : isPublic ? .httpPort : Settings.Key.adminPort).environmentName
    }
    private var host: String {
        (isSocket ? .adminSocket : isPublic ? .httpHost : Settings.Key.adminHost).environmentName
    }
    private var isPublic: Bool { name == "postbacks" }
}
