import PostgresClient
import Testing

@testable import PostbackStore

@Suite("The addresses of workers")
struct WorkerAddressesTests {
    @Test("A node that is named has the address that is given, every other one its own")
    func reading() throws {
        let addresses = try WorkerAddresses(
            "worker-1.example:5432=10.0.0.1:5433, [fd00::2]:5432=[::1]:1,/run/a:5432=/run/b:65535")
        for (node, address) in [
            ("worker-1.example:5432", "10.0.0.1:5433"), ("[fd00::2]:5432", "[::1]:1"), ("/run/a:5432", "/run/b:65535"),
            ("worker-1.example:5433", "worker-1.example:5433"),
        ] {
            let node = try #require(PostgresAddress(node))
            #expect(addresses[node].description == address)
        }
        #expect(PostgresAddress("[fd00::2]:5432") == PostgresAddress(host: "fd00::2", port: 5432))
    }

    @Test(
        "What is no pair of addresses is refused with the part and its rule",
        arguments: [
            ("", "\"\" must be NODE:PORT=HOST:PORT"), ("a:1", "\"a:1\" must be NODE:PORT=HOST:PORT"),
            ("a:1=b:2=c:3", "\"a:1=b:2=c:3\" must be NODE:PORT=HOST:PORT"),
            ("a:1=b:2,", "\"\" must be NODE:PORT=HOST:PORT"),
            ("a=b:2", "\"a\" must be HOST:PORT"), ("a:1=b", "\"b\" must be HOST:PORT"), ("a:0=b:2", "\"a:0\""),
            ("a:1=b:65536", "\"b:65536\""), ("a:+1=b:2", "\"a:+1\""), ("a:1=:2", "\":2\""), ("a:1= b:2", "\" b:2\""),
            ("::1:5=b:2", "\"::1:5\""), ("[a]:1=b:2", "\"[a]:1\""), ("a:1=b:2,a:1=c:3", "\"a:1\" has two addresses"),
        ])
    func refusals(_ text: String, _ message: String) {
        let error = #expect(throws: WorkerAddressesError.self) { try WorkerAddresses(text) }
        #expect(error?.description.hasPrefix(message) == true, "\(text): \(error?.description ?? "")")
    }
}
