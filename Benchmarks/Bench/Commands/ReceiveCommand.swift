import ArgumentParser

/// `bench receive`: what destinations of a measured server send to.
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: """
            Take forwarded postbacks until told to stop: count each and answer 200. \(ForwardReceiver.hangPath) never \
            answers; \(ForwardReceiver.readingPath) answers how many came and how late.
            """)

    @Option(name: .long, help: "The port on 127.0.0.1.")
    var port: Int

    func run() async throws {
        try await ForwardReceiver().run(port: port)
    }
}
