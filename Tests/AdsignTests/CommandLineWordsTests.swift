import Testing

@testable import adsign

@Suite("The words of the command line")
struct CommandLineWordsTests {
    @Test(
        "A value with one dash is joined with its option, and everything else stays",
        arguments: [
            ("sign --campaign-id -1 --explain", "sign --campaign-id=-1 --explain"),
            ("sign --nonce -a=b", "sign --nonce=-a=b"), ("sign --explain -h", "sign --explain -h"),
            ("sign --key - --batch", "sign --key - --batch"), ("sign --key k --batch", "sign --key k --batch"),
            ("sign --a=1 -2", "sign --a=1 -2"), ("sign --a= --b", "sign --a= --b"), ("sign --a=", "sign --a="),
            ("verify -- --a= b --c -1", "verify -- --a= b --c -1"), ("verify --a -- -1", "verify --a -- -1"),
            ("--version", "--version"), ("", ""),
        ])
    func joined(_ words: String, _ expected: String) throws {
        let prepared = try CommandLineWords.prepared(words.split(separator: " ").map(String.init))
        #expect(prepared.joined(separator: " ") == expected)
    }

    @Test("An option with = and no value does not take the next word", arguments: ["b", "-", "a=b", "1"])
    func empty(_ next: String) {
        let error = #expect(throws: (any Error).self) { try CommandLineWords.prepared(["verify", "--a=", next]) }
        #expect(error.map { "\($0)" } == "Missing value for '--a'")
    }
}
