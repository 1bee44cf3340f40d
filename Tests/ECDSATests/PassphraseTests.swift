import ECDSA
import Testing

@Suite("Passphrases")
struct PassphraseTests {
    @Test("A line is a passphrase, with and without its end; blanks belong to it")
    func lines() throws {
        let key = try SigningKey.generate()
        let pem = key.pem(encryptedWith: try #require(Passphrase(file: Array("open sesame ".utf8))))
        for text in ["open sesame ", "open sesame \n", "open sesame \r\n"] {
            let passphrase = try #require(Passphrase(file: Array(text.utf8)))
            let same = try SigningKey(pem: pem, passphrase: passphrase)
            #expect(same.publicKey.pem == key.publicKey.pem)
        }
        let other = try #require(Passphrase(file: Array("open sesame".utf8)))
        #expect(throws: KeyError.wrongPassphrase) { try SigningKey(pem: pem, passphrase: other) }
    }

    @Test("Nothing, several lines, a zero byte and more than 1,024 bytes are refused")
    func refused() {
        for text in ["", "\n", "\r\n", "a\nb", "a\n\n", "a\u{0}", String(repeating: "a", count: 1_025)] {
            #expect(Passphrase(file: Array(text.utf8)) == nil, "\(text.utf8.count) bytes")
        }
        #expect(Passphrase(file: Array(repeating: 0x61, count: 1_024)) != nil)
    }

    @Test("No description shows it")
    func silence() throws {
        let passphrase = try #require(Passphrase(file: Array("open sesame".utf8)))
        var dumped = ""
        dump(passphrase, to: &dumped)
        #expect(!"\(passphrase) \(String(reflecting: passphrase)) \(dumped)".contains("sesame"))
        #expect(!dumped.contains("111"))
    }
}
