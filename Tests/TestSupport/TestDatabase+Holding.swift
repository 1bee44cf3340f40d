import Foundation
package import PostgresClient

extension TestDatabase {
    /// Runs a body while a session of its own has run a script in an open transaction, which is committed afterwards.
    package func holding<T: Sendable>(
        _ script: String, isolation: PostgresConnection.Isolation = .readCommitted,
        _ body: () async throws -> T
    ) async throws -> T {
        let (entered, entering) = AsyncStream.makeStream(of: Void.self)
        let leave = DispatchSemaphore(value: 0)
        return try await withPool(size: 1) { pool in
            async let session: Void = pool.withTransaction("held", isolation: isolation) { connection in
                defer { entering.finish() }
                try connection.execute(script: script)
                entering.finish()
                leave.wait()
            }
            for await _ in entered {}
            let result: Result<T, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            leave.signal()
            try await session
            return try result.get()
        }
    }
}
