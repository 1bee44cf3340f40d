/// What `bench load` prints.
struct LoadReading: Equatable, Sendable {
    /// Postbacks a second.
    let rate: Double
    /// The same in the last tenth of the time.
    let lastTenth: Double
    /// By how many seconds folding is behind at the end.
    let lag: Double
    /// How many postbacks in all.
    let count: Int
    /// PostgreSQL's processor time for each of them, in microseconds.
    var micros: Double?

    /// Reads the last line of the output: four numbers.
    init(output: String) throws {
        let words = output.split(separator: "\n").last?.split(separator: " ").compactMap { Double($0) } ?? []
        guard words.count == 4 else { throw BenchError("bench load printed no four numbers") }
        rate = words[0]
        lastTenth = words[1]
        lag = words[2]
        count = Int(words[3])
    }
}
