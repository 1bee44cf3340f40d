import Access
import AdAttribution
import HTTPListener
import Metrics
import Observability
import PostbackIngest

/// The metrics of the program and of what it was given: which build it is, what the system knows of its process, and when
/// its certificates and its tokens end.
struct ServerMetrics: Sendable {
    private let build = Gauge(label: "adattribution_build_info", dimensions: [("version", BuildVersion.current)])
    private let process = ProcessMetrics()
    private let certificateExpiry = GaugeSet("adattribution_certificate_expiry_timestamp_seconds", by: "listener")
    private let tokenExpiry = GaugeSet("adattribution_token_expiry_timestamp_seconds", by: "name", "id")
    private let certificates: [(listener: ServiceMetrics.Listener, certificate: ServerCertificate)]
    private let tokens: TokensInForce
    private let clock: WallClock

    /// Takes what is looked at: the certificates of the listeners that have TLS, and the tokens.
    init(
        certificates: [(listener: ServiceMetrics.Listener, certificate: ServerCertificate)], tokens: TokensInForce,
        clock: WallClock
    ) {
        (self.certificates, self.tokens, self.clock) = (certificates, tokens, clock)
        build.record(1)
    }

    /// Shows the present state.
    ///
    /// Tokens that have ended or were revoked are not shown.
    func update() {
        process.update()
        certificateExpiry.record(certificates.map { ([$0.listener.rawValue], Double($0.certificate.expiry)) })
        guard let now = TokenTime(seconds: clock.milliseconds() / 1_000) else { return }
        tokenExpiry.record(
            tokens.ring.tokens.filter { $0.state(at: now) == .valid }.map { token in
                (["\(token.name)", token.token.id], Double(token.ends.seconds))
            })
    }
}
