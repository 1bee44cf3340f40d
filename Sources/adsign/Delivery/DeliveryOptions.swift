import ArgumentParser

/// `adsign simulate --deliver`.
struct DeliveryOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Post what is made to this URL, instead of printing it.", valueName: "url"),
        transform: { try HTTPTarget(option: $0) })
    var deliver: HTTPTarget?

    @Option(name: .long, help: "How many a second: 0.01 to 100000; 100 by default.")
    var rate: Double?

    @Option(name: .long, help: "The greatest number of connections: 1 to 1024; 64 by default.")
    var connections: Int?

    @OptionGroup
    var trust: TrustOptions

    /// Checks the options against each other.
    func validate() throws {
        guard deliver != nil else {
            let needless = [
                ("--rate", rate != nil), ("--connections", connections != nil),
                ("--root-certificates", trust.rootCertificates != nil),
            ]
            guard let option = needless.first(where: { $0.1 })?.0 else { return }
            throw ValidationError("\(option) goes with --deliver only.")
        }
        if let rate, !(0.01...100_000).contains(rate) {
            throw ValidationError("--rate must be a number from 0.01 to 100000, not \(rate).")
        }
        if let connections, !(1...1_024).contains(connections) {
            throw ValidationError("--connections must be an integer from 1 to 1024, not \(connections).")
        }
    }
}
