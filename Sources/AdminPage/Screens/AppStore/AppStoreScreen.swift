import AdAttribution
import AppStoreData
import PageFigures
import PageRequests
import PageViews
import Reports

/// *App Store*: what customers really paid, renewed and got back.
enum AppStoreScreen {
    static let place = ScreenPlace(path: "/app-store", name: "App Store")
    static let parameters = [StoreAppChoice.parameter]

    /// - Parameter apps: The apps of the key ring.
    static func content(
        _ filters: PageFilters, _ reports: ScreenReports, apps: [StoreApp]
    ) throws(FieldError) -> ScreenContent {
        let choice = try StoreAppChoice(filters, bundleID: reports.request[StoreAppChoice.parameter], apps: apps)
        let figures = AppStoreFigures(filters: filters, reports: reports, choice: choice)
        return ScreenContent(
            introduction:
                "What the App Store says of each transaction, by the day of the purchase or the renewal. Apple's "
                + "commission and taxes are not taken off. A refund is taken off the day of its purchase, so past days "
                + "change.",
            tabs: choice.tabs(filters, apps), notices: choice.notices(filters),
            plans: [
                try figures.totals(), try figures.days(), try figures.products(), try figures.refunds(),
                try figures.cohorts(), try figures.risk(),
            ])
    }
}
