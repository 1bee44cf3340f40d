import AdAttribution
import PostbackSimulation
import TestSupport
import Testing

@Suite("The settings of a simulation in time")
struct TimelineSettingsTests {
    @Test("A file replaces some settings, all others stay as they are, and printed settings are read again")
    func reading() throws {
        let settings = try TimelineSettings(json: Array(#"{"days":3,"versions":{"4.0":1},"prices":[]}"#.utf8))
        var expected = TimelineSettings()
        expected.days = 3
        expected.versions = ["4.0": 1]
        expected.prices = []
        #expect(settings == expected)
        #expect(try TimelineSettings(json: TimelineSettings().json) == TimelineSettings())
        #expect(try TimelineSettings(json: settings.json) == settings)
        let many = try TimelineSettings(json: Array(#"{"source-apps":"zipf:100000"}"#.utf8))
        #expect(many.sourceApps == .population(.zipf(100_000)))
        #expect(try TimelineSettings(json: many.json) == many)
        let random = #"{"privacy":{"mode":"random","share":0.3}}"#
        #expect(try TimelineSettings(json: Array(random.utf8)).privacy == .random(share: 0.3))
    }

    @Test(
        "A file that is not settings is refused with the place and the rule",
        arguments: [
            ("[]", "config: byte 0"), (#"{"days":1,"days":2}"#, "config: byte 10"),
            (#"{"day":1}"#, "day: is not a setting"), (#"{"source-apps":1}"#, "source-apps: must be an array"),
            (#"{"source-apps":"zipf"}"#, "source-apps: must be an array or a number such as 20 or zipf:100000"),
            (#"{"days":"1"}"#, "days: must be an integer"), (#"{"weekdays":1}"#, "weekdays: must be an array"),
            (#"{"networks":[{"weight":1}]}"#, "networks[0].ad-network-id: is missing"),
            (#"{"networks":[{"ad-network-id":"a","weight":1,"wait":2}]}"#, "networks[0].wait: is not a setting"),
            (#"{"privacy":{"mode":1}}"#, "privacy.mode: must be a string"),
        ])
    func malformed(text: String, refusal: String) {
        #expect {
            try TimelineSettings(json: Array(text.utf8))
        } throws: { error in
            "\(error)".hasPrefix(refusal)
        }
    }

    @Test(
        "A value that breaks a rule is refused with its place",
        arguments: [
            (#"{"begin":"yesterday"}"#, "begin"), (#"{"begin":"1970-01-01"}"#, "begin"),
            (#"{"begin":"2026-02-30"}"#, "begin"), (#"{"begin":"2026-1-1"}"#, "begin"), (#"{"days":0}"#, "days"),
            (#"{"installs-a-day":0}"#, "installs-a-day"), (#"{"weekdays":[1,1]}"#, "weekdays"),
            (#"{"trend":-2}"#, "trend"), (#"{"campaigns":[]}"#, "campaigns"), (#"{"campaigns":[0]}"#, "campaigns"),
            (#"{"source-apps":[]}"#, "source-apps"), (#"{"source-apps":"zipf:1000001"}"#, "source-apps"),
            (#"{"source-apps":"each:5"}"#, "source-apps"), (#"{"placements":[1,1,1,1,1,1,1,1,1,1]}"#, "placements"),
            (#"{"countries":{"usa":1}}"#, "countries"),
            (#"{"versions":{"5.0":1}}"#, "versions"), (#"{"source-domains":["x"]}"#, "source-domains"),
            (#"{"view-share":1.5}"#, "view-share"), (#"{"prices":[{"cents":0,"weight":1}]}"#, "prices[0].cents"),
            (#"{"networks":[{"ad-network-id":"A.x","weight":1}]}"#, "networks[0].ad-network-id"),
            (
                #"{"networks":[{"ad-network-id":"a.skadnetwork","weight":1},{"ad-network-id":"a","weight":1}]}"#,
                "networks[1].ad-network-id"
            ),
            (#"{"apps":[{"app-id":-1,"weight":1,"models":[]}]}"#, "apps[0].app-id"),
            (#"{"apps":[{"app-id":1,"weight":1,"models":[]}]}"#, "apps[0].models"),
            (#"{"privacy":{"mode":"random"}}"#, "privacy.share"),
            (#"{"privacy":{"mode":"crowd","days":7,"thresholds":[5,4,3]}}"#, "privacy.thresholds"),
            (#"{"privacy":{"mode":"crowd","thresholds":[1,2,3]}}"#, "privacy.days"),
            (#"{"privacy":{"mode":"never"}}"#, "privacy.mode"),
        ])
    func wrong(text: String, field: String) throws {
        let settings = try TimelineSettings(json: Array(text.utf8))
        #expect {
            _ = try TestKeys().timeline(settings, seed: 1)
        } throws: { error in
            (error as? FieldError)?.field == field
        }
    }

    @Test("An app has at most three models in the order of time, and each must be able to hold its buckets")
    func models() throws {
        func refusal(_ models: [TimelineSettings.Model]) throws -> String? {
            var settings = TimelineSettings()
            settings.apps = [.init(appID: 1, weight: 1, models: models)]
            do throws(FieldError) {
                _ = try Timeline.curves(of: settings)
                return nil
            } catch {
                return error.field
            }
        }
        #expect(try refusal([.revenue(), .revenueByDay(fromDay: 1), .revenue(fromDay: 2)]) == nil)
        #expect(try refusal([.revenue(fromDay: 1)]) == "apps[0].models")
        #expect(try refusal([.revenue(), .revenue()]) == "apps[0].models")
        #expect(try refusal([.revenue(), .revenue(fromDay: 2), .revenue(fromDay: 2)]) == "apps[0].models")
        let four = [.revenue()] + (1...3).map { TimelineSettings.Model.revenue(fromDay: $0) }
        #expect(try refusal(four) == "apps[0].models")
        #expect(try refusal([.revenue(buckets: [2, 1])]) == "apps[0].models[0].buckets")
        var model = TimelineSettings.Model.revenueByDay()
        model.measurementWindowHours = 97
        #expect(try refusal([model]) == "apps[0].models[0].measurement-window-hours")
        model.model = "retention"
        #expect(try refusal([model]) == "apps[0].models[0].model")
        model.high = model.medium
        #expect(try refusal([model]) == "apps[0].models[0]")
    }
}
