/// Rules that fields of several tables have, to complete "must be …".
enum FieldRules {
    static let day = "a day such as 2026-11-22"
    static let count = "an integer from 0 to \(Int64.max)"
}
