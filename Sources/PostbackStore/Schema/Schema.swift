/// The schema that this build reads and writes: every migration by name and checksum.
///
/// Compiled in, so that a server needs no folder to tell whether the database fits it. A test holds this list against
/// the folder `migrations`; a new migration gets a new line here, and no line ever changes.
public enum Schema {
    /// One migration that this build knows.
    public struct Step: Sendable, Equatable {
        /// The file's name without its ending.
        public let name: String
        /// SHA-256 of the file, in hexadecimal.
        public let checksum: String
    }

    /// The migrations in order.
    public static let steps: [Step] = [
        Step(
            name: "0001_postback",
            checksum: "4e79c92ef942af59253f12c2056d01f6ead0e435ca07c5096791531386c5958c"),
        Step(
            name: "0002_aggregates",
            checksum: "4d6deecc6d5e9f571f7ff3d360e43f1381f9615261582b602994771aa2c00c92"),
        Step(
            name: "0003_rejected_postback",
            checksum: "de877ea1f3ac2a10931bd14ba2cf8e0adfde50510c78503f8bebe5da72c2a1d9"),
        Step(
            name: "0004_reports",
            checksum: "b001c1738991ad81e2a28e89f90358f9b94b1d853e4a0311375fce4a56f7a84d"),
        Step(
            name: "0005_web_ad",
            checksum: "d88d16216e7d6669152c2ad95ebced058937c880e23ff5358d2d2e4e7b38a31f"),
        Step(
            name: "0006_won_and_lost_values",
            checksum: "7f7684f065137573d556dfcf30b71f3830611f94554368532059d75004cac9ee"),
        Step(
            name: "0007_source_identifiers",
            checksum: "076dd6428847513e9b72a912ed22febc19b5622b106846fc4b1c0659ecadba1e"),
        Step(
            name: "0008_postback_change",
            checksum: "99741c0946514eef5f66e7d8d614ef224d5820bba5ef126b95c84c354ed727dd"),
        Step(
            name: "0009_import_progress",
            checksum: "a52f4980bd38d15af3398b7f4a45639679a556aa00283bdce3769196f1084363"),
    ]

    /// Holds what a database has applied, in order, against `steps`.
    ///
    /// - Throws: `SchemaError.behind` or `.unknown` with the first migration that differs.
    static func check(applied: [Step]) throws(SchemaError) {
        try checkNothingUnknown(among: applied)
        guard applied.count == steps.count else { throw .behind(missing: steps[applied.count].name) }
    }

    /// Refuses what a database has applied where this build does not know it, or not in that text.
    static func checkNothingUnknown(among applied: [Step]) throws(SchemaError) {
        for (index, step) in applied.enumerated() where index >= steps.count || step != steps[index] {
            throw .unknown(applied: step.name)
        }
    }
}
