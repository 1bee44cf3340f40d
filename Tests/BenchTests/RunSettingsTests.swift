import ArgumentParser
import Testing

@testable import bench

/// What a run measures: options, variables of the environment, defaults.
struct RunSettingsTests {
    @Test("Without options and variables the usual groups are measured, three times")
    func defaults() throws {
        let settings = try RunSettings(RunOptions.parse([]))
        #expect(settings.rounds == 3)
        #expect(settings.seconds == 5)
        #expect(settings.groups == [.sign, .verify, .parse, .store, .cpu, .http, .import, .impressions])
        #expect(settings.needsBaselineCommit)
    }

    @Test("Each variable of `make bench` has an option of the same meaning")
    func variablesAndOptions() throws {
        let variables = [
            "ROUNDS": "7", "BENCH_SECONDS": "2", "GROWTH": "1", "GROWTH_ROWS": "1000", "SNAPSHOT": "1",
            "SNAPSHOT_SECONDS": "30", "EXPORT": "1", "EXPORT_ROWS": "2000", "FORWARD_ROWS": "3000",
            "BASELINE": "abcdef0", "BENCH_BIN": "/a", "BASELINE_BIN": "/b",
        ]
        let arguments = [
            "--rounds", "7", "--seconds", "2", "--growth", "--growth-rows", "1000", "--snapshot", "--snapshot-seconds",
            "30", "--export", "--export-rows", "2000", "--forward-rows", "3000", "--baseline", "abcdef0",
            "--programs", "/a", "--baseline-programs", "/b",
        ]
        let settings = try RunSettings(RunOptions.parse([]), environment: variables)
        #expect(settings == (try RunSettings(RunOptions.parse(arguments))))
        #expect(settings.rounds == 7)
        #expect(settings.groups.suffix(3) == [.growth, .snapshot, .export])
    }

    @Test("An option wins over the variable")
    func precedence() throws {
        #expect(try RunSettings(RunOptions.parse(["--rounds", "2"]), environment: ["ROUNDS": "9"]).rounds == 2)
    }

    @Test("A variable that is empty counts as not set")
    func emptyVariables() throws {
        #expect(try RunSettings(RunOptions.parse([]), environment: ["ROUNDS": "", "GROWTH": ""]) == RunSettings())
    }

    @Test("The groups that are asked for are measured in their usual order, and no others")
    func only() throws {
        let settings = try RunSettings(RunOptions.parse(["--only", "lanes,sign"]), environment: ["GROWTH": "1"])
        #expect(settings.groups == [.sign, .lanes])
        #expect(!(try RunSettings(RunOptions.parse(["--only", "sign"])).needsBaselineCommit))
    }

    @Test("Forwarding is measured if it is asked for, without a baseline commit")
    func forward() throws {
        let settings = try RunSettings(RunOptions.parse(["--only", "forward"]))
        #expect(settings.groups == [.forward])
        #expect(settings.forwardRows == 3_600_000)
        #expect(!settings.needsBaselineCommit)
    }

    @Test("The App Store is measured if it is asked for, without a baseline commit")
    func appStore() throws {
        let settings = try RunSettings(RunOptions.parse(["--only", "app-store"]))
        #expect(settings.groups == [.appStore])
        #expect(!settings.needsBaselineCommit)
    }

    @Test("The parts of cardinality are measured alone, or all three by their common name")
    func cardinality() throws {
        func groups(_ list: String) throws -> [BenchGroup] {
            try RunSettings(RunOptions.parse(["--only", list])).groups
        }
        #expect(try groups("cardinality-growth") == [.cardinalityGrowth])
        #expect(try groups("cardinality-store,cardinality-http") == [.cardinalityHTTP, .cardinalityStore])
        #expect(
            try groups("cardinality,sign,cardinality-http")
                == [.sign, .cardinalityHTTP, .cardinalityStore, .cardinalityGrowth])
        #expect(!(try RunSettings(RunOptions.parse(["--only", "cardinality"])).needsBaselineCommit))
    }

    @Test(
        "A wrong value is refused, and the message says what would be right",
        arguments: [
            ("ROUNDS", "0", "from 1 on"), ("BENCH_SECONDS", "-1", "from 1 on"), ("GROWTH_ROWS", "many", "from 1 on"),
            ("BENCH_ONLY", "cardinality-nothing", "cardinality-http,cardinality-store,cardinality-growth,cardinality"),
            ("BENCH_ONLY", "sign,nothing", "sign,verify,parse"), ("BENCH_ONLY", ",", "sign,verify,parse"),
            ("BASELINE", "main", "hexadecimal"), ("BASELINE", "06F5115", "hexadecimal"), ("BASELINE", "06f", "7 to 40"),
        ])
    func wrongValues(name: String, value: String, says: String) throws {
        let error = #expect(throws: ValidationError.self) {
            try RunSettings(RunOptions.parse([]), environment: [name: value])
        }
        #expect(try #require(error).message.contains(says))
    }

    @Test(
        "Cores are read as the kernel lists them",
        arguments: [("0", [0]), ("0-3", [0, 1, 2, 3]), ("1,4-5,9", [1, 4, 5, 9])])
    func cores(list: String, numbers: [Int]) {
        #expect(CoreSet.numbers(in: list) == numbers)
    }

    @Test("What is no list of cores is refused", arguments: ["", "a", "3-1", "1-2-3", "1,,2", "-"])
    func noCores(list: String) {
        #expect(CoreSet.numbers(in: list) == nil)
    }

    @Test("Of a run's cores the first one can be used alone")
    func oneCore() throws {
        let cores = CoreSet(numbers: [2, 5])
        #expect(cores.command("openssl", ["speed"]) == ["taskset", "-c", "2,5", "openssl", "speed"])
        #expect(cores.one.command("openssl", []) == ["taskset", "-c", "2", "openssl"])
        #expect(!(try CoreSet.firstTwo().numbers.isEmpty))
    }
}
