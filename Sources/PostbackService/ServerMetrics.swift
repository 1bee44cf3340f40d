import Access
import AdAttribution
import HTTPListener
import Metrics
import Observability
import PostbackIngest

/// The metrics of the program and of what it was given: which build it is, what the system knows of its process, and when
/// its certificate and its tokens end.
struct ServerMetrics: Sendable {
    private let build = Gauge(label: "adattribution_build_info", dimensions: [("version", BuildVersion.current)])
    private let process = ProcessMetrics()
    private let certificateExpiry = GaugeSet("adattribution_certificate_expiry_timestamp_seconds", by: "listener")
    private let tokenExpiry = GaugeSet("adattribution_token_expiry_timestamp_seconds", by: "name", "id")
    private let certificate: ServerCertificate?
    private let tokens: TokensInForce
    private let clock: WallClock

    /// Takes what is looked at.
    init(certificate: ServerCertificate?, tokens: TokensInForce, clock: WallClock) {
        (self.certificate, self.tokens, self.clock) = (certificate, tokens, clock)
        build.record(1)
    }

    /// Shows the present state.
    ///
    /// Tokens that have ended or were revoked are not shown.
    func update() {
        process.update()
        certificateExpiry.record(
            certificate.map { [([ServiceMetrics.Listener.postbacks.rawValue], Double($0.expiry))] } ?? [])
        guard let now = TokenTime(seconds: clock.milliseconds() / 1_000) else { return }
        tokenExpiry.record(
            tokens.ring.tokens.filter { $0.state(at: now) == .valid }.map { token in
                (["\(token.name)", token.token.id], Double(token.ends.seconds))
            })
    }
}
