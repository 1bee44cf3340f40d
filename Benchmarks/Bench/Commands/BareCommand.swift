import ArgumentParser
import Hummingbird

/// `bench bare`: the baseline of HTTP, a route of the same framework that collects the body and answers 200.
struct BareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare", abstract: "Serve a route that does nothing, until told to stop.")

    @Option(name: .long, help: "The port on 127.0.0.1.")
    var port: Int

    func run() async throws {
        let router = Router()
        router.post("/.well-known/skadnetwork/report-attribution") { request, _ in
            _ = try await request.body.collect(upTo: 16_384)
            return HTTPResponse.Status.ok
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}
