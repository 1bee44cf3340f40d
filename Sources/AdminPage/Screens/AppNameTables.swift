import AdAttribution
import CampaignData
import PageViews

/// The table and the form of the names of apps, a part of *Mapping*.
enum AppNameTables {
    /// The most names that are shown.
    static let shown: Int32 = 500

    /// The table of some names; with one more than are shown it says that there are more.
    static func rows(_ names: [AppName]) -> FigureView {
        FigureView(
            id: "app-names", heading: "Names of apps",
            remark: names.count > Int(shown)
                ? "The first \(shown). “PostbackServer app-names list” has all." : nil,
            headers: ["App", "Name"],
            rows: names.prefix(Int(shown)).map { name in
                [TableCell("\(name.app.value)", isHeader: true), TableCell(name.name)]
            },
            advice: "No app has a name, so screens show app ids. Load a file of names below.")
    }

    static func form(_ path: String, _ csrf: String, text: String) -> FormView {
        FormView(
            id: "app-names-form", heading: "Load names of apps",
            hint:
                "CSV or NDJSON with app_id and app_name: advertised apps, and apps that show ads. If a stored name of "
                + "the same app would be replaced, that is shown first.",
            target: path, csrf: csrf, files: [TextField(id: "app-names", label: "file of names", content: text)],
            buttons: [FormButton("Check names", "check-names"), FormButton("Load names", "load-names")])
    }
}
