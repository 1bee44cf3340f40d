import AdAttribution
import CampaignData
import PageFigures
import PageRequests
import PageViews
import PostgresClient

/// The tables and forms of *Mapping*.
enum MappingTables {
    /// The most rows that are shown.
    private static let shown = 500
    /// The most networks and apps whose free identifiers are shown.
    static let shownFree = 10

    /// What the page calls the fields of its forms, by their names.
    static let labels = [
        "network": "Network", "app": "App", "campaign-type": "Type", "identifier": "Identifier",
        "campaign-id": "Campaign id at yours", "campaign-name": "Campaign name", "first-day": "First day",
        "last-day": "Last day", "digits": "Which", "within": "Within the group of digits",
    ]
    /// The number of rows from which there is a search above them.
    private static let manyRows = 20
    /// The most characters that are searched for.
    private static let longestSearch = 200

    /// The rows, or those that contain the text of the parameter `find`.
    static func rows(_ rows: [MappedRow], _ request: PageRequest) -> FigureView {
        let search = request["find"].map { String($0.prefix(longestSearch)) }
        let isLong = rows.count > manyRows
        let found = rows.filter { row in
            guard let wanted = search?.lowercased() else { return true }
            return texts(row).contains { $0?.lowercased().contains(wanted) ?? false }
        }
        let headers: [TableHeader] = [
            "Campaign", "State", "Until", "Network", "Type", "Identifier", "App", "Country", "Source", "Protocol",
            "Ad group", "Creative", "Geo",
        ]
        let cells: [[TableCell]] = found.prefix(shown).map { row in
            let page = request.address(
                keeping: OneCampaignScreen.place.path,
                [("network", nil), ("app", nil), ("campaign", CampaignFilter.text(id: row.mapping.names.campaignID))])
            return texts(row).enumerated().map { TableCell($1 ?? "–", link: $0 == 0 ? page : nil, isHeader: $0 == 0) }
        }
        let path = MappingNaming.path
        let form = TableTools.Search(
            content: search ?? "",
            hidden: PageFilters.names.compactMap { name in request[name].map { Fact(name, $0) } },
            all: search.map { _ in request.address(keeping: path) })
        let tools =
            isLong || search != nil
            ? TableTools(action: path, search: form, columns: [], hidden: [], all: nil) : nil
        let advice =
            search.map { "No row contains “\($0)”. Find something else, or show all rows." }
            ?? "No campaign has a name. Load a mapping file below; docs/mapping-and-spend.md describes it."
        return FigureView(
            id: "mapping", heading: "Rows",
            remark: found.count > shown
                ? "\(found.count) rows, of which \(shown) are shown. “PostbackServer mapping list” has all." : nil,
            table: TableView(caption: "Rows", headers: headers, rows: cells, tools: tools), advice: advice)
    }

    /// The texts of a row's cells.
    private static func texts(_ row: MappedRow) -> [String?] {
        let (conditions, names) = (row.mapping.conditions, row.mapping.names)
        return [
            named(names.campaignID, names.campaignName), row.state.rawValue + (row.isBuiltIn ? " (built in)" : ""),
            row.until?.description, conditions.network.text, conditions.campaign.type, conditions.campaign.text,
            conditions.advertisedAppID.map { "\($0.value)" } ?? "all", conditions.country?.text,
            conditions.source?.text, conditions.attributionProtocol?.rawValue,
            named(names.adGroupID, names.adGroupName), named(names.creativeID, names.creativeName), names.geo?.text,
        ]
    }

    static func free(_ free: [FreeIdentifiers]) -> FigureView {
        FigureView(
            id: "free", heading: "Free identifiers",
            remark: free.count > shownFree
                ? "Of the first \(shownFree) networks and apps. “PostbackServer mapping list” has all." : nil,
            headers: ["Network", "App"]
                + ["Campaign ids of 100", "2 digits of 100", "3 digits of 1,000", "4 digits of 9,000"].map {
                    TableHeader($0, isNumber: true)
                },
            rows: free.prefix(shownFree).map { free in
                [
                    TableCell(free.network, isHeader: true),
                    TableCell(free.advertisedAppID.map { "\($0)" } ?? "all"),
                ]
                    + [free.campaignIDs, free.groups2, free.groups3, free.groups4].map {
                        TableCell(NumberText.decimal("\($0)", places: 0), exact: "\($0)")
                    }
            }, advice: "Free identifiers are counted for networks that have a row.")
    }

    /// The form that loads a file.
    static func loadForm(_ path: String, _ csrf: String, text: String) -> FormView {
        FormView(
            id: "load", heading: "Load a file",
            hint: "CSV or NDJSON, up to 1 MiB with the form. All rows are loaded or none. If rows would be changed, "
                + "ended or removed, they are shown first. Longer files: “PostbackServer mapping load”.",
            target: path, csrf: csrf,
            files: [TextField(id: "mapping", label: "mapping file", content: text)],
            buttons: [
                FormButton("Check", "check"), FormButton("Load", "load"),
                FormButton("Load, and remove rows that are not in it", "replace"),
            ])
    }

    static func forms(_ path: String, _ csrf: String, text: String, networks: [String]) -> [FormView] {
        let network = TextField(id: "network", label: "Network", isRequired: true, suggestions: networks)
        let app = TextField(id: "app", label: "App (empty: all apps)")
        return [
            loadForm(path, csrf, text: text),
            FormView(
                id: "allocate", heading: "Give an identifier out", target: path, csrf: csrf,
                choices: [
                    SelectField(
                        id: "digits", label: "Which",
                        options: [
                            ("0", "a campaign id, 1 to 100"), ("2", "the last 2 digits"), ("3", "the last 3 digits"),
                            ("4", "a whole source identifier"),
                        ], chosen: "2")
                ],
                texts: [
                    network, app, TextField(id: "within", label: "Within the group of digits"),
                    TextField(id: "campaign-id", label: "Campaign id at yours"),
                    TextField(id: "campaign-name", label: "Campaign name"),
                ], buttons: [FormButton("Give out", "allocate")]),
            FormView(
                id: "retire", heading: "Retire an identifier",
                hint: "Late postbacks keep the names until the cool-down ends.", target: path, csrf: csrf,
                choices: [
                    SelectField(
                        id: "campaign-type", label: "Type",
                        options: [("source-identifier", "source identifier"), ("campaign-id", "campaign id")],
                        chosen: "source-identifier")
                ],
                texts: [
                    network, app, TextField(id: "identifier", label: "Identifier", isRequired: true),
                    TextField(id: "last-day", label: "Last day (empty: today)", isDay: true),
                ], buttons: [FormButton("Retire", "retire")]),
        ]
    }

    private static func named(_ id: String?, _ name: String?) -> String? {
        let both = [name, id.map { "(\($0))" }].compactMap(\.self)
        return both.isEmpty ? nil : both.joined(separator: " ")
    }
}
