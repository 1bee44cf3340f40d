import Synchronization

/// Something that was made of files, and is made of them again while the program runs.
package protocol Reloadable: Sendable {
    /// Reads the files again.
    ///
    /// If they can't be used, the old value stays in force. It blocks the thread until the files are read.
    ///
    /// - Parameter onlyIfChanged: Whether nothing is done if all files look as they did when they were read last.
    func reload(onlyIfChanged: Bool) -> ReloadOutcome

    /// Why the files as they were read last can't be used; nil if they are in force.
    var refusal: String? { get }
}

/// What came of reading files again.
package enum ReloadOutcome: Sendable, Equatable {
    /// No file had changed.
    case unchanged
    /// The new value is in force.
    case replaced
    /// The old value stays in force, for this reason.
    case refused(String)
}

/// A value that was made of files: it never changes, and a reload replaces it as a whole.
package final class FileBacked<Value: Sendable>: Reloadable {
    private struct State: Sendable {
        var value: Value
        var files: FileStamps
        var refusal: String?
    }

    private let read: @Sendable (inout FileStamps) throws -> Value
    private let state: Mutex<State>
    /// Held while files are read, so that an older state of them never replaces a newer one.
    private let turn = Mutex(())

    /// Reads the files.
    ///
    /// - Parameter read: Makes the value, and notes each file before it reads it, also if it throws.
    /// - Throws: What `read` throws; there is no old value yet.
    package init(read: @escaping @Sendable (inout FileStamps) throws -> Value) throws {
        var files = FileStamps()
        let value = try read(&files)
        self.read = read
        state = Mutex(State(value: value, files: files))
    }

    /// The value in force.
    package var value: Value { state.withLock { $0.value } }

    /// Why the files as they were read last can't be used; nil if they are in force.
    package var refusal: String? { state.withLock { $0.refusal } }

    /// Reads the files again.
    package func reload(onlyIfChanged: Bool) -> ReloadOutcome {
        turn.withLock { _ in
            if onlyIfChanged, state.withLock({ $0.files }).areCurrent { return .unchanged }
            var files = FileStamps()
            do {
                let value = try read(&files)
                let state = State(value: value, files: files)
                self.state.withLock { $0 = state }
                return .replaced
            } catch {
                let (stamps, refusal) = (files, "\(error)")
                state.withLock { state in
                    state.files = stamps
                    state.refusal = refusal
                }
                return .refused(refusal)
            }
        }
    }
}
