import CLibPQ
import Glibc

/// The owner of one libpq connection: sends, waits with a deadline, and receives.
///
/// Not `Sendable`: libpq allows one thread at a time, which is the connection's thread.
final class Session {
    private var handle: OpaquePointer?
    private let notices = SessionNotices()
    /// Ends the waits for the server if it is set; nil if nothing can end them but their deadline.
    var interruption: Interruption?

    /// Connects.
    ///
    /// - Throws: `connectFailed`, `invalidConfiguration`, `interrupted`.
    init(_ configuration: PostgresConfiguration, interruption: Interruption? = nil) throws(PostgresError) {
        self.interruption = interruption
        defer { self.interruption = nil }
        let attempts = try configuration.connectionAttempts()
        let deadline = Deadline(after: configuration.connectTimeout)
        for (number, parameters) in attempts.enumerated() {
            do {
                try connect(parameters, configuration.secrets, Deadline(deadline, sharedBy: attempts.count - number))
                return
            } catch {
                close()
                guard error.code == .deadlineExceeded else { throw error }
            }
        }
        throw PostgresError(.connectFailed, reason: "timed out")
    }

    deinit {
        close()
    }

    /// True until the connection is lost or closed, as far as libpq knows.
    var isOpen: Bool { handle != nil && PQstatus(handle) == CONNECTION_OK }

    /// Whether a transaction is open.
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(handle) }

    /// Closes the connection without waiting.
    ///
    /// The final message is sent only if the socket accepts it at once.
    func close() {
        guard let handle else { return }
        self.handle = nil
        PQfinish(handle)
    }

    /// Whether an idle connection is still open, checked without waiting.
    func checkIdle() -> Bool {
        // Notices and parameter changes may have arrived. The end of the stream comes after them.
        for _ in 0..<16 {
            guard isOpen else { return false }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 0) > 0 else { return true }
            guard PQconsumeInput(handle) == 1, PQisBusy(handle) == 0 else { return false }
        }
        return false
    }

    /// Sends something and receives all of its results.
    ///
    /// - Parameters:
    ///   - timeout: How long the answer may take. If it takes longer, the connection is closed.
    ///   - send: Calls one of libpq's `PQsend…` functions and returns what it returns.
    /// - Returns: The last result.
    /// - Throws: The server's first error; `connectionLost`, `deadlineExceeded`, `copyRefused`, `notReplicated`.
    func exchange(
        within timeout: Duration,
        _ send: (OpaquePointer) -> Int32
    ) throws(PostgresError) -> ResultStorage {
        guard let handle, isOpen, send(handle) == 1 else { throw lost() }
        notices.clear()
        let deadline = Deadline(after: timeout)
        try flush(until: deadline)
        let result = try answer(until: deadline)
        try checkReplication()
        return result
    }

    /// Sends several prepared statements at once, and receives all of their results.
    ///
    /// - Parameters:
    ///   - count: The number of statements, at least 1.
    ///   - timeout: How long the answer may take. If it takes longer, the connection is closed.
    ///   - results: Gets the result of each statement. After an error it has those of the statements before it.
    ///   - send: Calls one of libpq's `PQsend…` functions for the statement with this index and returns what it
    ///     returns.
    /// - Throws: As `exchange`. If the server answered with an error, the statements were rolled back.
    func pipeline(
        _ count: Int,
        within timeout: Duration,
        into results: inout [ResultStorage],
        _ send: (OpaquePointer, Int) -> Int32
    ) throws(PostgresError) {
        guard let handle, isOpen, PQenterPipelineMode(handle) == 1,
            (0..<count).allSatisfy({ send(handle, $0) == 1 }), PQpipelineSync(handle) == 1
        else { throw lost() }
        notices.clear()
        let deadline = Deadline(after: timeout)
        try flush(until: deadline)
        var failure: PostgresError?
        var isStatementEnd = false
        while true {
            guard let result = try receive(until: deadline) else {
                // NULL follows the result of each statement. A second one means that no more results come.
                guard isOpen, !isStatementEnd else {
                    let loss = lost()
                    throw failure ?? loss
                }
                isStatementEnd = true
                continue
            }
            isStatementEnd = false
            switch PQresultStatus(result.pointer) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                results.append(result)
            case PGRES_PIPELINE_ABORTED:
                // The statement did not run, because one before it failed.
                continue
            case PGRES_PIPELINE_SYNC:
                // The results are complete, even if the connection can't be used any more.
                if PQexitPipelineMode(handle) == 0 { close() }
                if let failure { throw failure }
                guard results.count == count else { throw lost() }
                try checkReplication()
                return
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                close()
                throw PostgresError(.copyRefused)
            default:
                let error = PostgresError(result: result.pointer, connectionIsBad: !isOpen)
                failure = failure ?? error
                if error.isConnectionLoss {
                    close()
                    throw failure ?? error
                }
            }
        }
    }

    /// Throws `notReplicated` if the server committed, but gave up the wait for a standby.
    private func checkReplication() throws(PostgresError) {
        if notices.isReplicationUncertain { throw PostgresError(.notReplicated) }
    }

    /// Receives all results; returns the last one, or throws the first error.
    private func answer(until deadline: Deadline) throws(PostgresError) -> ResultStorage {
        var last: ResultStorage?
        var failure: PostgresError?
        var succeeded = 0
        while let result = try receive(until: deadline) {
            switch PQresultStatus(result.pointer) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                last = result
                succeeded += 1
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                close()
                throw PostgresError(.copyRefused)
            default:
                guard failure == nil else { continue }
                failure = PostgresError(result: result.pointer, connectionIsBad: !isOpen)
                failure?.succeeded = succeeded
            }
        }
        if let failure {
            if failure.isConnectionLoss { close() }
            throw failure
        }
        guard let last else { throw lost() }
        return last
    }

    /// Closes the connection; the error has what libpq says of it.
    private func lost() -> PostgresError {
        let message = ServerMessage.ofLibPQ(handle.flatMap { PQerrorMessage($0) })
        close()
        return PostgresError(.connectionLost, message: message)
    }
}

extension Session {
    /// Connects; throws `deadlineExceeded` if it takes too long.
    private func connect(
        _ parameters: PostgresConfiguration.Parameters, _ secrets: [String], _ deadline: Deadline
    ) throws(PostgresError) {
        handle = withCStrings(parameters.map(\.keyword)) { keywords in
            withCStrings(parameters.map(\.value)) { values in
                PQconnectStartParams(keywords, values, 1)
            }
        }
        guard let handle else { throw PostgresError(.connectFailed, reason: "out of memory") }
        // With the SQLSTATE and the text of a refusal.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        notices.receive(from: handle)
        var step = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            guard step != PGRES_POLLING_FAILED else {
                let text = String(cString: PQerrorMessage(handle))
                let failure = ConnectFailure(message: text)
                let shown = ServerMessage.withoutMissingFiles(text, parameters)
                throw PostgresError(
                    failure.isConfiguration ? .invalidConfiguration : .connectFailed, sqlState: failure.sqlState,
                    reason: failure.reason,
                    message: failure.isConfiguration ? nil : ServerMessage.ofAttempt(shown, secrets: secrets))
            }
            do {
                _ = try wait(for: step == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
            } catch  where ![.deadlineExceeded, .interrupted].contains(error.code) {
                throw PostgresError(.connectFailed, reason: "no connection")
            }
            step = PQconnectPoll(handle)
        }
        // From now on the text of a connection's errors has no values. `ServerMessage` reads the fields of results.
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        guard PQsetnonblocking(handle, 1) == 0 else {
            throw PostgresError(.connectFailed, reason: "no connection")
        }
    }

    /// Writes everything that waits to be sent, and reads meanwhile.
    ///
    /// Otherwise each side could wait for the other to read.
    private func flush(until deadline: Deadline) throws(PostgresError) {
        while PQflush(handle) == 1 {
            let ready = try wait(for: POLLIN | POLLOUT, until: deadline)
            if ready & ~POLLOUT != 0, PQconsumeInput(handle) == 0 { return }
        }
        // If a write failed, the result says so, after anything that the server sent before it closed the connection.
    }

    private func receive(until deadline: Deadline) throws(PostgresError) -> ResultStorage? {
        while PQisBusy(handle) == 1 {
            _ = try wait(for: POLLIN, until: deadline)
            guard PQconsumeInput(handle) == 1 else { break }
        }
        return PQgetResult(handle).map(ResultStorage.init)
    }

    /// Waits until the socket is ready; closes the connection if the deadline passes, or if the wait is interrupted.
    private func wait(for events: Int32, until deadline: Deadline) throws(PostgresError) -> Int32 {
        while true {
            // libpq opens another socket for the next address, so it is read each time.
            let socket = PQsocket(handle)
            guard socket >= 0 else { throw PostgresError(.connectionLost) }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let milliseconds = deadline.remainingMilliseconds
            let count = poll(
                &descriptor, 1, interruption == nil ? milliseconds : min(milliseconds, Interruption.interval))
            if count > 0 { return Int32(descriptor.revents) }
            if let interruption, interruption.isSet {
                close()
                throw PostgresError(.interrupted)
            }
            if count == 0, deadline.remainingMilliseconds == 0 {
                close()
                throw PostgresError(.deadlineExceeded)
            }
            if count < 0, errno != EINTR {
                close()
                throw PostgresError(.connectionLost)
            }
        }
    }
}

/// Calls a function with a list of C strings that ends with NULL.
private func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
        offsets.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { bytes in
        let pointers = offsets.map { bytes.baseAddress?.advanced(by: $0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

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

/// The moment at which a wait gives up.
struct Deadline: Sendable {
    let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now.advanced(by: duration)
    }

    /// The end of the first of several waits that share the time left until another deadline equally.
    init(_ other: Deadline, sharedBy waits: Int) {
        instant = ContinuousClock.now.advanced(by: ContinuousClock.now.duration(to: other.instant) / waits)
    }

    /// The time left, for `poll`: whole milliseconds, rounded up; 0 if the deadline has passed.
    var remainingMilliseconds: Int32 {
        let remaining = ContinuousClock.now.duration(to: instant)
        return remaining <= .zero ? 0 : remaining.serverMilliseconds
    }
}

extension Duration {
    /// Whole milliseconds for a server setting, rounded up.
    ///
    /// At least 1, because 0 switches a timeout off.
    var serverMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let roundedUp = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : max(1, Int32(clamping: milliseconds.addingReportingOverflow(roundedUp).partialValue))
    }
}
