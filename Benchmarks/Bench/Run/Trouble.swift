/// Why a sample or a run failed, in words for whoever reads the table.
struct Trouble: Error, CustomStringConvertible, Equatable {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
