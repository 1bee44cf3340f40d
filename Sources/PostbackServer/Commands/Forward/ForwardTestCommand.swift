import ArgumentParser
import AuditTrail
import Destinations
import Forwarding
import PostbackService
import PostbackStore
import ServerSettings

/// The command `PostbackServer forward test`.
struct ForwardTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send one made-up postback to a destination, now and from this machine; show request and answer.",
        discussion: """
            It is marked as a test: the header X-AdAttribution-Test, the environment test, the transaction id \
            00000000-0000-4000-8000-000000000000. Nothing is counted, and the state of the destination does not change. Names \
            stand in the places of secrets; they are sent, and not shown. \
            The secrets are those of KEYRING_PATH on this machine. If the destination does not take it, the exit code is 69.

            Example:
              PostbackServer forward test branch
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let name = name
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let destination = try await StoreSession.with(settings, logger) { store in
            let destination = try await store.destination(name).destination
            try await store.note(TrailEntry(.destinationTest, of: "\(name)", by: .currentUser, at: store.clock()))
            return destination
        }
        let tests = TestDelivery(
            secrets: settings.service.forwarding.secrets, addresses: settings.service.forwarding.addresses)
        let report = await tests.send(to: destination)
        if let request = report.request {
            try StandardOutput.line("\(request.method.rawValue) \(request.url)")
            for header in request.headers { try StandardOutput.line("\(header.name): \(header.value)") }
            if let body = request.body { try StandardOutput.line("\n\(String(decoding: body, as: UTF8.self))\n") }
        }
        if let answer = report.answer {
            try StandardOutput.line("answer: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        if let problem = report.problem {
            try StandardOutput.line(problem)
            throw FailedTest(name: name)
        }
    }
}

/// A destination did not take a test; why was shown before.
struct FailedTest: Error, CustomStringConvertible {
    let name: DestinationName

    var description: String { "the destination \(name) did not take the test" }
}
