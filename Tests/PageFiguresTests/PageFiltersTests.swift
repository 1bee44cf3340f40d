import PostgresClient
import Testing

@testable import PageFigures
@testable import PageViews
@testable import Reports

@Suite("The filters of an address")
struct PageFiltersTests {
    private let ids = ["example123", "example123.skadnetwork", "example123.adattributionkit"]

    /// The filters of an address with this network.
    ///
    /// The environment has two networks, one of them with two ids.
    private func filters(_ network: String) -> PageFilters {
        let choices = ReportChoices(
            networks: ["com.example", "example123.adattributionkit", "example123.skadnetwork"], apps: ["525463029"],
            currencies: ["USD"], schemeCurrencies: ["USD"], environments: ["production"], appNames: [:])
        return PageFilters(
            [("network", network)], others: [], choices: choices, today: PostgresDate(daysSince2000: 9_826))
    }

    /// What a report with these columns is asked.
    private func asked(_ columns: [String], _ filters: PageFilters) -> [String] {
        let report = Report(
            name: "some", meaning: "", source: .allDays,
            columns: columns.map { ReportColumn(name: $0, form: .text, isDimension: true, meaning: "") })
        return filters.parameters(report).map { "\($0.name)=\($0.value)" }
    }

    @Test(
        "The name of a network and each of its ids mean the same network, in any letter case",
        arguments: ["example123", "example123.skadnetwork", "example123.adattributionkit", "EXAMPLE123.SKAdNetwork"])
    func network(text: String) {
        let filters = filters(text)
        #expect(filters.errors.isEmpty && filters.network == "example123")
        // Reports have ids or names. All of them are asked for the same.
        #expect(asked(["ad_network_id"], filters) == ids.map { "ad_network_id=\($0)" })
        #expect(asked(["network_name"], filters) == ["network_name=example123"])
        #expect(asked(["ad_network_id", "network_name"], filters) == ids.map { "ad_network_id=\($0)" })
        #expect(asked(["advertised_app_id"], filters).isEmpty)
        var values = StatementValues(areLiterals: true)
        let conditions = filters.conditions(&values)
        let list = ids.map { "'\($0)'" }.joined(separator: ", ")
        #expect(conditions.hasSuffix(" AND ad_network_id IN (\(list))"), "\(conditions)")
        // Links and forms have the name.
        #expect(filters.address("/campaigns", [("by", "cost")]) == "/campaigns?network=example123&by=cost")
        #expect(filters.hidden(without: []).map(\.text) == ["example123"])
    }

    @Test("The list of the filter has each network once, and a row leads to the network as the list has it")
    func offered() throws {
        let filters = filters("example123.skadnetwork")
        let list = try #require(filters.form("/").selects.first { $0.id == "network" })
        #expect(list.options.map(\.value) == ["", "com.example", "example123"])
        #expect(list.options.filter(\.isChosen).map(\.value) == ["example123"])
        #expect(filters.network(of: ["network_name": "example123"]) == "example123")
        #expect(filters.network(of: ["ad_network_id": "example123.adattributionkit"]) == "example123")
        #expect(filters.network(of: ["ad_network_id": "com.example"]) == "com.example")
        // Only spend has it. The filter would refuse it.
        #expect(filters.network(of: ["network_name": "elsewhere"]) == nil)
        // A row of the mapping has an id.
        #expect(filters.networkID(named: "example123") == "example123.adattributionkit")
        #expect(filters.networkID(named: "elsewhere") == nil)
    }

    @Test(
        "A network without postbacks is refused as it was typed",
        arguments: ["nobody.skadnetwork", "example12", ".skadnetwork", "example123.skadnetwork.skadnetwork", "\0"])
    func refused(text: String) {
        let errors = filters(text).errors
        #expect(errors.map(\.message) == ["There are no postbacks of the network “\(text)” in production."])
        #expect(errors.map(\.field) == ["network"])
    }
}
