import Testing

@testable import HTTPListener

@Suite("The host of a request")
struct RequestHostTests {
    @Test(
        "A name is read in lower case, without its port and without the dot at its end",
        arguments: [
            ("localhost", "localhost"), ("LocalHost:8081", "localhost"),
            ("Attribution.Internal.", "attribution.internal"),
            ("a", "a"), ("my_service:80", "my_service"), ("", ""), (":80", ""), ("a:", "a"), ("%41", "%41"),
            ("127.1", "127.1"), ("256.0.0.1", "256.0.0.1"), ("0x7f.0.0.1", "0x7f.0.0.1"),
        ])
    func names(text: String, name: String) {
        #expect(RequestHost(text) == .name(name))
    }

    @Test(
        "A numeric address is told from a name",
        arguments: [
            "127.0.0.1", "127.0.0.1:8081", "10.1.2.3", "[::1]", "[::1]:8081", "[2001:db8::1]", "[::ffff:1.2.3.4]:1",
        ])
    func addresses(text: String) {
        #expect(RequestHost(text) == .address)
    }

    @Test(
        "What breaks the grammar is no host",
        arguments: [
            "a b", "a/b", "a@b", "a,b c", "http://a", "a?b", "a#b", "a\\b", "\"a\"", "<a>", "a\0b", "ä", "%", "%4",
            "%zz",
            "a:b", "a:80:90", "::1", "[::1", "[]", "[a]", "[127.0.0.1]", "[::1]a", "[::1] ", "[::1]:x", "[::1%25lo]",
        ])
    func malformed(text: String) {
        #expect(RequestHost(text) == nil)
    }
}
