extension FixedKeyVerifier {
    /// The number of signatures that are verified together.
    ///
    /// It is large enough that inversions cost little, and small enough for the second level of a processor's cache.
    static var chunkSize: Int { 128 }
    /// With fewer signatures, verifying one by one is faster.
    static var smallestBatch: Int { 4 }

    /// Checks few signatures one by one, and more of them side by side.
    func areValid(_ signatures: [SignedDigest]) -> [Bool] {
        guard signatures.count >= Self.smallestBatch else { return signatures.map(isValid) }
        // Chunks of about the same size.
        let chunks = (signatures.count - 1) / Self.chunkSize + 1
        let capacity = (signatures.count - 1) / chunks + 1
        let sums = LockstepSums(generator: generator, key: key, capacity: capacity)
        let inversion = SharedInversion<Curve.Scalar>(capacity: capacity)
        var verdicts = [Bool](repeating: false, count: signatures.count)
        // A signature that no key could have made is not put into a lane.
        var lanes: [(index: Int, numbers: SignatureNumbers<Curve>)] = []
        lanes.reserveCapacity(capacity)
        for start in stride(from: 0, to: signatures.count, by: capacity) {
            lanes.removeAll(keepingCapacity: true)
            for index in start..<min(start + capacity, signatures.count) {
                guard let numbers = SignatureNumbers<Curve>(signatures[index]) else { continue }
                lanes.append((index, numbers))
            }
            inversion.start(count: lanes.count)
            for lane in lanes.indices.reversed() { inversion.take(lanes[lane].numbers.s, at: lane) }
            inversion.invert()
            for lane in lanes.indices {
                let numbers = lanes[lane].numbers
                let w = inversion.inverse(of: numbers.s, at: lane)
                sums.setScalars(numbers.e * w, numbers.r * w, lane: lane)
            }
            sums.compute(lanes: lanes.count)
            for lane in lanes.indices { verdicts[lanes[lane].index] = lanes[lane].numbers.match(sums[lane]) }
        }
        return verdicts
    }
}
