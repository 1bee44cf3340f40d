import Glibc

/// The hosts among which libpq chooses, as the connection string or libpq's environment variables name them.
///
/// `host`, `hostaddr` and `port` are lists of the same length, separated by commas; `port` may also be one for all
/// hosts. Source: "Specifying Multiple Hosts" in PostgreSQL's documentation of libpq.
struct HostList {
    /// The keywords that name hosts.
    static let keywords = ["host", "hostaddr", "port"]
    private static let environmentNames = [
        "host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "service": "PGSERVICE",
        "target_session_attrs": "PGTARGETSESSIONATTRS",
    ]

    /// The lists that are given, by keyword.
    private let lists: [(keyword: String, values: [Substring])]

    /// Reads the lists.
    ///
    /// If a service is named, its file may say which host is meant, so the list is empty.
    ///
    /// - Parameter given: The keywords of the connection string with their values.
    init(_ given: [String: String]) {
        guard Self.value("service", of: given) == nil else {
            lists = []
            return
        }
        lists = Self.keywords.compactMap { keyword in
            Self.value(keyword, of: given).map { (keyword, $0.split(separator: ",", omittingEmptySubsequences: false)) }
        }
    }

    /// How many hosts there are; 1 if none is named, which stands for the default host.
    var count: Int {
        max(1, lists.filter { $0.keyword != "port" }.map(\.values.count).max() ?? 1)
    }

    /// The lists once for each host, rotated so that this host stands first.
    ///
    /// The first rotation changes nothing. It is the only one if the lists have different lengths, which libpq refuses.
    var rotations: [PostgresConfiguration.Parameters] {
        let count = count
        let isConsistent = lists.allSatisfy { list in
            list.values.count == count || list.keyword == "port" && list.values.count == 1
        }
        guard count > 1, isConsistent else { return [[]] }
        return [[]]
            + (1..<count).map { first in
                lists.map { list in
                    guard list.values.count == count else { return (list.keyword, list.values.joined(separator: ",")) }
                    return (list.keyword, (list.values[first...] + list.values[..<first]).joined(separator: ","))
                }
            }
    }

    /// The value of a keyword in the connection string, else that of libpq's environment variable.
    static func value(_ keyword: String, of given: [String: String]) -> String? {
        given[keyword] ?? environmentNames[keyword].flatMap { getenv($0) }.map { String(cString: $0) }
    }
}
