/// The check that a backend must pass before it verifies under a key.
///
/// Nobody here has the private half of Apple's keys. So the check uses `SignatureSample`s, which need none: the backend
/// must accept them and refuse corrupted copies, alone and in batches, as libcrypto does.
enum BackendCheck {
    /// The fewest samples that a check is made of.
    static let fewestSamples = 4

    /// Whether the backend tells good signatures from bad ones under this key.
    static func passes(_ backend: any SignatureBackend, under key: EVPKey) -> Bool {
        passes(backend, reference: key, samples: SignatureSample.samples(under: key))
    }

    /// The same with these samples.
    static func passes(
        _ backend: any SignatureBackend, reference: any SignatureBackend, samples: [SignatureSample]
    ) -> Bool {
        guard samples.count >= fewestSamples else { return false }
        let good = samples.map(\.signed)
        let corrupted = samples.flatMap(\.corrupted)
        // A good signature, its three corrupted copies, the next good one, and so on.
        let mixed = samples.flatMap { [$0.signed] + $0.corrupted }
        let verdicts = samples.flatMap { [true] + $0.corrupted.map { _ in false } }
        return [backend, reference].allSatisfy { backend in
            zip(mixed, verdicts).allSatisfy { backend.areValid([$0]) == [$1] }
                && backend.areValid(mixed) == verdicts
                && backend.areValid(mixed.reversed()) == verdicts.reversed()
                && backend.areValid(good) == good.map { _ in true }
                && backend.areValid(corrupted) == corrupted.map { _ in false }
        }
    }
}
