import AdAttribution
import AppStoreData
import PageFigures
import PageRequests
import PageViews

/// Which apps *App Store* shows.
///
/// Its figures have bundle ids, the filter of all screens App Store ids. The key ring says which belong together.
struct StoreAppChoice: Sendable {
    /// The parameter with a bundle id.
    static let parameter = "bundle"

    /// The most apps to which the screen leads.
    private static let shownApps = 50
    private static let rule = "must be a bundle id, such as com.example.game"

    /// The bundle ids that are shown; empty for all.
    let bundleIDs: [String]
    /// The bundle id that the address names; nil if it names none.
    private let named: String?

    /// Takes the bundle id of the address, or else those of the app that the filters name.
    ///
    /// - Throws: What is no bundle id.
    init(_ filters: PageFilters, bundleID: String?, apps: [StoreApp]) throws(FieldError) {
        named = bundleID
        if let bundleID {
            guard bundleID.wholeMatch(of: /[A-Za-z0-9.-]{1,155}/) != nil else {
                throw FieldError(field: Self.parameter, rule: Self.rule, value: bundleID)
            }
            bundleIDs = [bundleID]
        } else {
            bundleIDs = apps.filter { app in app.appID.map { "\($0)" == filters.app } ?? false }
                .map(\.bundleID).sorted()
        }
    }

    /// Links to each app of the key ring; none if it has only one.
    func tabs(_ filters: PageFilters, _ apps: [StoreApp]) -> [PageLink] {
        guard apps.count > 1 || named != nil else { return [] }
        func link(_ name: String, _ bundleID: String?) -> PageLink {
            PageLink(
                name, filters.address(AppStoreScreen.place.path, [(Self.parameter, bundleID)]),
                isCurrent: bundleID == named)
        }
        let ids = apps.map(\.bundleID).sorted()
        return [link("All apps", nil)] + ids.prefix(Self.shownApps).map { link($0, $0) }
    }

    /// What is said of filters that choose something else here, or nothing.
    func notices(_ filters: PageFilters) -> [String] {
        var notices: [String] = []
        switch (named, filters.app, bundleIDs.isEmpty) {
        case (let named?, nil, _): notices.append("All figures are of \(named).")
        case (let named?, _?, _): notices.append("All figures are of \(named). The filter on the app is not used.")
        case (nil, let app?, true):
            notices.append(
                "The key ring names no bundle id of the app \(filters.appText(app)), so the filter on the app is not "
                    + "used: figures are of all apps.")
        case (nil, let app?, false):
            let ids = bundleIDs.joined(separator: ", ")
            notices.append("All figures are of \(ids), which the key ring names for the app \(filters.appText(app)).")
        case (nil, nil, _): break
        }
        if filters.network != nil || filters.campaign != nil {
            notices.append("Network and campaign are not used here: no purchase can be joined with a postback.")
        }
        return notices
    }
}
