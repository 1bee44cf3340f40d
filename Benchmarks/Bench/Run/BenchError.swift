/// Why a sample or a run failed, in words for whoever reads the table.
struct BenchError: Error, CustomStringConvertible, Equatable {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Keys or postbacks could not be made, or were refused.
    static let setUp = BenchError("keys or postbacks could not be made, or were refused")
    /// What was measured gave a wrong result, so that its time means nothing.
    static let wrongResult = BenchError("what was measured gave a wrong result")
}
