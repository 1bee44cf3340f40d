import Destinations
import Observability

/// Makes the attempts of one sender.
struct AttemptSending: Sendable {
    let destination: Destination
    let secrets: SecretFiles
    let client: DeliveryClient
    let clock: WallClock

    /// Makes an attempt: builds the request, signs it, sends it and judges the answer.
    func outcome(of begun: SenderState.Begun) async -> AttemptOutcome {
        let prepared: PreparedRequest
        do throws(UnsendableEvent) {
            prepared = try begun.delivery.request(of: destination)
        } catch {
            return .unsendable(reason: error.reason)
        }
        let signed: SignedRequest
        switch sign(prepared, isStored: begun.delivery.isRetry) {
        case .success(let request): signed = request
        case .failure(let stop): return stop.outcome
        }
        // The task may have waited, or the process was stopped: another server may send by now.
        guard ContinuousClock.now < begun.leaseEnd, !Task.isCancelled else { return .notBegun }
        do throws(DeliveryFailure) {
            let answer = try await client.send(signed)
            guard destination.success.accepts(status: answer.status) else {
                return .failed(AttemptFailure(answer, at: seconds))
            }
            return .delivered
        } catch {
            return Task.isCancelled ? .notBegun : .failed(AttemptFailure(error, at: seconds))
        }
    }

    /// Why a request was not signed.
    private struct Stop: Error {
        let outcome: AttemptOutcome
    }

    /// Fills in the secrets.
    ///
    /// If one of the destination's is missing, everything waits for it. A stored request may need one that the
    /// destination had earlier; if that is missing, only this delivery fails.
    private func sign(_ prepared: PreparedRequest, isStored: Bool) -> Result<SignedRequest, Stop> {
        let names = destination.secrets
        var known: [SecretName: Secret]
        do throws(SecretProblem) {
            known = try secrets.secrets(names)
        } catch {
            return .failure(Stop(outcome: .blocked(problem: "\(error)")))
        }
        do throws(SecretProblem) {
            if isStored {
                let earlier = try secrets.secrets(prepared.secrets.filter { !names.contains($0) })
                known.merge(earlier) { present, _ in present }
            }
            return .success(try prepared.signed(with: known, at: seconds))
        } catch {
            let outcome: AttemptOutcome =
                isStored ? .failed(AttemptFailure(reason: "\(error)")) : .blocked(problem: "\(error)")
            return .failure(Stop(outcome: outcome))
        }
    }

    private var seconds: Int64 { clock.milliseconds() / 1_000 }
}

extension Delivery {
    /// The request: of the event as the destination says, or the stored one.
    func request(of destination: Destination) throws(UnsendableEvent) -> PreparedRequest {
        switch content {
        case .event(let event): try destination.request(for: event)
        case .row(let row): row.request
        }
    }
}
