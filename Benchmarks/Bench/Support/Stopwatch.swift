/// Measuring rates.
enum Stopwatch {
    /// How many elements a second a body works through, going round and round for so long; each must give true.
    static func rate<Element>(
        seconds: Double, of elements: [Element], _ body: (Element) throws -> Bool
    ) throws -> Double {
        // A first stretch to warm up, of which nothing is counted.
        for element in elements.prefix(500) {
            guard try body(element) else { throw BenchError.wrongResult }
        }
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        var count = 0
        while true {
            // Looks at the clock now and then only.
            for element in elements.dropFirst(count % elements.count).prefix(max(1, elements.count / 200)) {
                guard try body(element) else { throw BenchError.wrongResult }
                count += 1
            }
            let now = clock.now
            if now >= end { return Double(count) / ((now - start) / .seconds(1)) }
        }
    }
}
