import Testing

@testable import ServerSettings

/// Names of settings in `.env`, in the file and in the environment.
struct SettingNamesTests {
    private func variables(_ text: String) -> [String] {
        SettingNames.errors(ofVariables: Array(text.utf8)).map(\.description)
    }

    private func file(_ text: String) -> [String] {
        SettingNames.errors(ofFile: Array(text.utf8), at: "/a.json").map(\.description)
    }

    @Test("Every setting is known in all three", arguments: Settings.Key.allCases)
    func known(_ key: Settings.Key) {
        #expect(variables("\(key.environmentName)=x\n") == [])
        let names = key.rawValue.split(separator: ".")
        let open = names.dropLast().map { "{\"\($0)\": " }.joined()
        let end = String(repeating: "}", count: names.count)
        #expect(file(open + "{\"\(names.last ?? "")\": \"x\"" + end) == [])
        #expect(file("{\"\(key.rawValue)\": 1}") == [])
        #expect(SettingNames.warnings(about: [key.environmentName: "x"]) == [])
    }

    @Test("A name in .env that is no setting is refused with its line, and the one that was meant is named")
    func unknownVariable() {
        #expect(variables("# A comment\n\n HTTP_PORT = 80\nCONFIG_FILE=a.json\n#HTTP_PROT=1\n") == [])
        #expect(
            variables("HTTP_PORT=80\nHTTP_PROT=81\nexport LOG_LEVEL=info\nCOLOR=hunter2\nhunter2\n") == [
                ".env: line 2: HTTP_PROT is no setting; is HTTP_PORT meant?",
                ".env: line 3: export LOG_LEVEL is no setting", ".env: line 4: COLOR is no setting",
                ".env: line 5: must be NAME=value",
            ])
        // A file with such lines would be read as one value.
        #expect(
            variables("HTTP_PORT=80\r\nADMIN_PORT=81\r\n") == [
                ".env: has a carriage return; its lines must end with LF alone"
            ])
        let many = variables((0..<30).map { "X\($0)=1\n" }.joined())
        #expect(many.count == 21 && many.last == ".env: 10 more names are no settings")
    }

    @Test("A line of a key that somebody put into .env is not shown, though it ends like the name of a variable")
    func keyInVariables() {
        let key = "TLS_PRIVATE_KEY_PATH=-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIH\noAoGCCqGSM49AwEHoUQDQgAE==\n"
        #expect(
            variables(key) == [
                ".env: line 2: must be NAME=value", ".env: line 3: what stands before “=” is no setting",
            ])
        #expect(variables("http_port=80\n") == [".env: line 1: what stands before “=” is no setting"])
    }

    @Test("A name in the file that is no setting is refused with its line, however deep it stands")
    func unknownMember() {
        #expect(file("{}") == [])
        #expect(
            file(
                """
                {"http": {"prot": 80, "port": {"of": 1}},
                 "HTTP": {},
                 "log": {"level": "info"}, "config": {"file": "b.json"}}
                """) == [
                    "CONFIG_FILE: /a.json: line 1: http.prot is no setting; is http.port meant?",
                    "CONFIG_FILE: /a.json: line 1: http.port.of is no setting; is http.port meant?",
                    "CONFIG_FILE: /a.json: line 2: HTTP is no setting",
                    "CONFIG_FILE: /a.json: line 3: config.file is no setting",
                ])
        #expect(
            file("{\"http\": {\"port\": 1, \n\"port\": 2}}") == [
                "CONFIG_FILE: /a.json: line 2: port stands twice in its object"
            ])
        #expect(file("[1]") == ["CONFIG_FILE: /a.json: line 1: must be a JSON object"])
    }

    @Test("A variable that begins like a setting and is none is warned of; those of other programs are not")
    func environment() {
        let others = ["PATH": "", "HOME": "", "HTTP_PROXY": "", "HTTPS_PROXY": "", "PGHOST": "", "LOGNAME": ""]
        #expect(SettingNames.warnings(about: others) == [])
        #expect(
            SettingNames.warnings(about: ["DATABASE_ULR": "hunter2", "HTTP_TIMEOUT": "1", "LOG_LEVEL": "info"]) == [
                "the environment: DATABASE_ULR is no setting; is DATABASE_URL meant?",
                "the environment: HTTP_TIMEOUT is no setting",
            ])
    }
}
