import ECDSA
import Testing

@Suite("Where a private key is")
struct PrivateKeyLocationTests {
    @Test("A text that begins with pkcs11: is a URI of a token, every other one is a file")
    func kinds() {
        for file in ["network.pem", "/etc/keys/network.pem", "PKCS11:object=a", "", "key pkcs11:object=a"] {
            #expect(PrivateKeyLocation(file) == .file(file))
        }
        for text in ["pkcs11:object=a", "pkcs11:token=ads;id=%01", "pkcs11:token=a%20b;object=c;type=private"] {
            guard case .token? = PrivateKeyLocation(text) else {
                Issue.record("\(text) is no URI of a token")
                return
            }
        }
    }

    @Test(
        "A URI with a PIN, a query, another type, an unknown or doubled attribute, or without object and id is refused",
        arguments: [
            "pkcs11:", "pkcs11:token=ads", "pkcs11:object=", "pkcs11:object", "pkcs11:object=a;pin-value=1234",
            "pkcs11:object=a?pin-value=1234", "pkcs11:object=a?pin-source=file:/etc/pin",
            "pkcs11:object=a?pin-source=%7Ccommand", "pkcs11:object=a?module-path=/tmp/evil.so",
            "pkcs11:object=a;type=public", "pkcs11:object=a;object=b", "pkcs11:object=a;", "pkcs11:object=a b",
            "pkcs11:object=ä", "pkcs11:object=a\n", "pkcs11:object=" + String(repeating: "a", count: 1_024),
        ])
    func refused(_ text: String) {
        #expect(PrivateKeyLocation(text) == nil)
    }
}
