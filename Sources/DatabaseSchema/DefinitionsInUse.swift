/// Reports, or other transactions, have used the definitions all the time that `migrate` waits; nothing was changed.
package struct DefinitionsInUse: Error, CustomStringConvertible {
    /// What happened, and what to do.
    package var description: String {
        "schema: reports have used the definitions for too long; run PostbackServer migrate again when they have ended"
    }
}
