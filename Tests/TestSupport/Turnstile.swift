/// Lets only so many tests at a time do what costs connections; the others wait in line.
actor Turnstile {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ places: Int) {
        free = places
    }

    /// Waits for a place, and keeps it while a body runs.
    nonisolated func run<T>(_ body: () async throws -> T) async throws -> T {
        await enter()
        let result: Result<T, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await leave()
        return try result.get()
    }

    /// Waits for a place, and keeps it until `leave`.
    private func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Gives the place to the next in line.
    private func leave() {
        guard waiting.isEmpty else {
            waiting.removeFirst().resume()
            return
        }
        free += 1
    }
}
