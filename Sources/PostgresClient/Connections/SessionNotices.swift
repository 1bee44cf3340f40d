import CLibPQ

/// What the server says beside the results of a session's statements.
///
/// libpq passes notices to a function with a pointer to this object, on the connection's thread.
final class SessionNotices {
    /// The function of the server that waits until a standby has a commit.
    ///
    /// If somebody cancels its wait, it sends a warning, and the commit succeeds: PostgreSQL can't take it back. The
    /// warning has no SQLSTATE of its own (01000), and its text may be translated. The function's name is sent with
    /// every notice and is the same in all languages.
    private static let waitForStandby = "SyncRepWaitForLSN"

    /// Whether the wait for a standby was cancelled since this was last set to false.
    private(set) var isReplicationUncertain = false

    /// Makes this the receiver of a connection's notices.
    ///
    /// Without a receiver libpq writes notices to standard error, and they can contain values. This object must live
    /// until the connection is closed.
    func receive(from connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, notice in
                guard let context else { return }
                Unmanaged<SessionNotices>.fromOpaque(context).takeUnretainedValue().take(notice)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Forgets what was said.
    func clear() {
        isReplicationUncertain = false
    }

    private func take(_ notice: OpaquePointer?) {
        guard let function = PQresultErrorField(notice, CLIBPQ_DIAG_SOURCE_FUNCTION) else { return }
        if String(cString: function) == Self.waitForStandby { isReplicationUncertain = true }
    }
}
