/// The value models of an app, one after the other.
struct AppModels: Sendable {
    /// One model, and from when on the app uses it.
    struct Era: Sendable {
        /// Nil for the first model.
        let from: Moment?
        let model: any ValueModel
    }

    /// The most models, so that there are two changes.
    static let most = 3

    /// The models in the order of time; at least one.
    let eras: [Era]

    /// Models in the order of time; nil if there is none, or too many, or if a time is missing or not after the last.
    init?(_ eras: [Era]) {
        guard (1...Self.most).contains(eras.count), eras[0].from == nil else { return nil }
        let times = eras.dropFirst().map(\.from)
        guard times.allSatisfy({ $0 != nil }) else { return nil }
        let moments = times.compactMap { $0 }
        guard zip(moments, moments.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
        self.eras = eras
    }

    /// The place of the model that is in force at a moment.
    func era(at moment: Moment) -> Int {
        eras.lastIndex { $0.from.map { $0 <= moment } ?? true } ?? 0
    }
}
