/// A page of an answer that Apple gives in pages.
package protocol StoreAPIPage: Sendable {
    /// What the page behind this one is asked for by; nil if this is the last one.
    var next: String? { get }
}

/// The pages of an answer, one after the other.
///
/// If a page leads to one that was read before, the pages end with an error, and not never.
package struct StoreAPIPages<Page: StoreAPIPage>: Sendable {
    private let read: @Sendable (String?) async throws(StoreAPIError) -> Page
    private var token: String?
    private var seen: Set<String> = []
    private var isOver = false
    private var isCircular = false

    init(after token: String?, read: @escaping @Sendable (String?) async throws(StoreAPIError) -> Page) {
        self.read = read
        self.token = token
        if let token { seen.insert(token) }
    }

    /// The next page; nil behind the last one.
    package mutating func next() async throws(StoreAPIError) -> Page? {
        guard !isCircular else { throw StoreAPIError(.circular, "a page leads to one that was read before") }
        guard !isOver else { return nil }
        let page = try await read(token)
        token = page.next
        isOver = page.next == nil
        if let next = page.next { isCircular = !seen.insert(next).inserted }
        return page
    }
}
