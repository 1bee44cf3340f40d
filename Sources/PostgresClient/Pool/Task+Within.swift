extension Task where Failure == Never {
    /// The value of the task if it comes within a time.
    ///
    /// - Returns: nil if it did not come in time, or if the caller is cancelled; the task goes on then.
    package func value(within limit: Duration) async -> Success? {
        let (values, value) = AsyncStream.makeStream(of: Success.self)
        Task<Void, Never> { value.yield(await self.value) }
        return await values.first(within: limit)
    }
}

extension AsyncStream where Element: Sendable {
    /// The first element if it comes within a time; nil if it does not, or if the caller is cancelled.
    func first(within limit: Duration) async -> Element? {
        await withTaskGroup(of: Element?.self) { group in
            group.addTask { await self.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
