/// The shell commands that an archive goes through on its way to the disk and back, such as `zstd -q` and `zstd -dq`.
package struct ArchiveFilter: Sendable {
    /// What the archive is written through.
    package let command: FilterCommand
    /// What it is read through.
    package let inverse: FilterCommand
    /// What the names of the files end in, such as `.zst`; may be empty.
    package let suffix: String

    /// Takes the commands unchecked.
    package init(command: FilterCommand, inverse: FilterCommand, suffix: String) {
        self.command = command
        self.inverse = inverse
        self.suffix = suffix
    }
}
