import Synchronization

/// Holds commits until a test lets them go.
final class CommitGate: Sendable {
    private struct State {
        var isOpen = false
        var held: [CheckedContinuation<Void, Never>] = []
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The commit's side: waits until the gate is open.
    func pass() async {
        await withCheckedContinuation { commit in
            let (passes, observers) = state.withLock { state in
                if state.isOpen { return (true, [CheckedContinuation<Void, Never>]()) }
                state.held.append(commit)
                defer { state.observers = [] }
                return (false, state.observers)
            }
            if passes { commit.resume() }
            for observer in observers { observer.resume() }
        }
    }

    /// The test's side: waits until a commit is held.
    func holdsOne() async {
        await withCheckedContinuation { observer in
            let isHolding = state.withLock { state in
                if !state.held.isEmpty { return true }
                state.observers.append(observer)
                return false
            }
            if isHolding { observer.resume() }
        }
    }

    /// Lets the held commits go, and all later ones.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for commit in held { commit.resume() }
    }
}
