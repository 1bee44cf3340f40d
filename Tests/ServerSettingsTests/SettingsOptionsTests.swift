import ArgumentParser
import Testing

@testable import ServerSettings

/// The options of the command line stand for the settings.
struct SettingsOptionsTests {
    @Test("Every setting has an option, whose value is read under the setting's key", arguments: Settings.Key.allCases)
    func everySetting(key: Settings.Key) throws {
        for arguments in [[key.option, "some value"], ["\(key.option)=some value"]] {
            #expect(try SettingsOptions.parse(arguments).values == [key: "some value"])
        }
    }

    @Test("Without options there are no values, so that the other sources are asked")
    func noOptions() throws {
        #expect(try SettingsOptions.parse([]).values.isEmpty)
    }

    @Test("An option that does not exist is refused, and the one that was meant is named")
    func misspelt() throws {
        let error = #expect(throws: (any Error).self) { try SettingsOptions.parse(["--http-prot", "1"]) }
        #expect(SettingsOptions.message(for: try #require(error)).contains("'--http-port'"))
    }

    @Test("The value of an option that is misspelt is not shown", arguments: ["--admin-tokn", "--database-ulr"])
    func secret(option: String) throws {
        for arguments in [[option, "hunter2"], ["\(option)=hunter2"]] {
            let error = #expect(throws: (any Error).self) { try SettingsOptions.parse(arguments) }
            #expect(!SettingsOptions.fullMessage(for: try #require(error)).contains("hunter2"))
        }
    }

    @Test("A list with commas is one text")
    func list() throws {
        #expect(
            try SettingsOptions.parse(["--trusted-proxies", "10.0.0.0/8,::1"]).values[.trustedProxies]
                == "10.0.0.0/8,::1")
    }
}
