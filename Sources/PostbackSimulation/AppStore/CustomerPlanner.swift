/// Makes up what a customer buys, and what the App Store notifies of.
struct CustomerPlanner {
    /// In no order.
    private(set) var purchases: [SimulatedPurchase] = []
    /// In no order, and also after the end.
    private(set) var events: [SimulatedStoreEvent] = []

    private var random: SeededRandom
    private let refundShare: Double
    private let familyShare: Double
    private let storefront: SimulatedStorefront
    private let end: Moment

    /// Apple's longest grace period for monthly subscriptions, and how long it tries to get the money.
    private static let grace = Milliseconds.days(16)
    private static let retry = Milliseconds.days(60)

    /// A planner, whose customers do nothing after `end`.
    init(
        _ random: SeededRandom, _ configuration: AppStoreSimulator.Configuration, _ storefront: SimulatedStorefront,
        end: Moment
    ) {
        self.random = random
        refundShare = configuration.refundShare
        familyShare = configuration.familyShare
        self.storefront = storefront
        self.end = end
    }

    /// Plans everything from the first purchase on.
    mutating func plan(from start: Moment) {
        let habit = random.unit()
        if habit < 0.6 { subscribe(to: random.chance(0.75) ? .monthly : .yearly, at: start) }
        if habit >= 0.5 { buyConsumables(from: start) }
        if purchases.isEmpty || random.chance(0.2) { buyOnce(.premium, 1, at: start + .minutes(5)) }
        if random.chance(0.02) { note(.unknown, 0, at: start + random.length(.hours(1) ... .days(30))) }
        if random.chance(0.01) {
            events.append(SimulatedStoreEvent(name: .test, at: start, purchase: nil, renewal: nil, status: nil))
        }
    }

    /// One customer of a hundred buys more than a list of version 1 can hold.
    private mutating func buyConsumables(from start: Moment) {
        let isFond = random.chance(0.01)
        var at = start
        for _ in 0..<(isFond ? 110 + random.below(40) : 1 + random.below(5)) where at < end {
            let quantity = random.chance(0.1) ? 2 + random.below(4) : 1
            buyOnce(random.chance(0.7) ? .coins : .chest, Int64(quantity), at: at)
            at = at + random.length(Milliseconds.minutes(1)...(isFond ? Milliseconds.hours(12) : .days(20)))
        }
    }

    private mutating func buyOnce(_ product: SimulatedProduct, _ quantity: Int64, at: Moment) {
        note(.bought, buy(product, quantity, at: at), at: at)
    }

    /// A subscription with its periods, until it ends for good.
    private mutating func subscribe(to first: SimulatedProduct, at start: Moment) {
        let offer: SimulatedPurchase.Offer? =
            random.chance(0.4) ? .freeTrial : random.chance(0.15) ? .introductory : nil
        let original = buy(first, at: start, offer: offer)
        var life = Life(product: first, dollars: first.dollars, latest: original, startedAt: start)
        note(.subscribed, life, at: start)
        while let expiresAt = purchases[life.latest].expiresAt, expiresAt < end {
            let (before, length) = (purchases[life.latest].at, expiresAt - purchases[life.latest].at)
            switch random.unit() {
            case ..<0.12:
                note(.disabled, life, at: before + Milliseconds(length.count / 2)) { $0.end() }
                note(.expired, life, at: expiresAt, status: 2) { $0.end(by: 1) }
                guard random.chance(0.25) else { return }
                let back = expiresAt + random.length(.days(3) ... .days(50))
                life.startedAt = back
                life.latest = buy(
                    life.product, at: back, original: original, offer: random.chance(0.5) ? .promotional : nil)
                note(.resubscribed, life, at: back)
                continue
            case ..<0.22:
                guard let paid = fail(life, at: expiresAt) else { return }
                renew(&life, original, at: paid, as: .recovered)
                continue
            case ..<0.27 where life.product == .monthly:
                let at = before + Milliseconds(length.count / 2)
                purchases[life.latest].upgradedAt = at
                (life.product, life.dollars) = (.yearly, SimulatedProduct.yearly.dollars)
                life.latest = buy(.yearly, at: at, original: original)
                note(.upgraded, life, at: at)
                continue
            case ..<0.32:
                life.dollars += life.dollars / 10
                note(.dearer, life, at: before + Milliseconds(length.count / 3)) { $0.priceIncrease = 0 }
                note(.dearerAccepted, life, at: before + Milliseconds(length.count / 3 * 2)) { $0.priceIncrease = 1 }
            default: break
            }
            renew(&life, original, at: expiresAt, as: .renewed)
        }
    }

    /// A subscription while its life is made up.
    private struct Life {
        var product: SimulatedProduct
        var dollars: Int64
        /// The place of its latest purchase.
        var latest: Int
        var startedAt: Moment
        var isOn = true
        var intent: Int64?
        var priceIncrease: Int64?
        var graceUntil: Moment?
        var isInRetry = false

        mutating func end(by intent: Int64? = nil) {
            isOn = false
            self.intent = intent
        }

        mutating func retry(until grace: Moment? = nil) {
            isInRetry = true
            graceUntil = grace
        }
    }

    private mutating func renew(_ life: inout Life, _ original: Int, at: Moment, as name: SimulatedStoreEvent.Name) {
        life.latest = buy(life.product, at: at, original: original, isRenewal: true, dollars: life.dollars)
        note(name, life, at: at)
    }

    /// A payment that fails; returns when it succeeds after all, or nil if it never does.
    private mutating func fail(_ life: Life, at: Moment) -> Moment? {
        let hasGrace = random.chance(0.5)
        if hasGrace {
            note(.failedWithGrace, life, at: at, status: 4) { $0.retry(until: at + Self.grace) }
            if random.chance(0.5) { return at + random.length(.hours(1) ... .days(15)) }
            note(.graceExpired, life, at: at + Self.grace, status: 3) { $0.retry() }
        } else {
            note(.failed, life, at: at, status: 3) { $0.retry() }
        }
        if random.chance(0.5) { return at + random.length(.days(17) ... .days(59)) }
        note(.expiredInRetry, life, at: at + Self.retry, status: 2) { $0.end(by: 2) }
        return nil
    }

    /// Buys something, with its refund and its family shares; returns its place.
    private mutating func buy(
        _ product: SimulatedProduct, _ quantity: Int64 = 1, at: Moment, original: Int? = nil, isRenewal: Bool = false,
        dollars: Int64? = nil, offer: SimulatedPurchase.Offer? = nil
    ) -> Int {
        let place = purchases.count
        let full = storefront.price(dollars ?? product.dollars) * quantity
        let length: Milliseconds? = offer == .freeTrial ? .days(7) : product.period
        purchases.append(
            SimulatedPurchase(
                product: product, owner: 0, original: original ?? place, at: at, expiresAt: length.map { at + $0 },
                quantity: quantity, price: offer == .freeTrial ? 0 : offer == nil ? full : full / 2,
                isRenewal: isRenewal, offer: offer))
        if offer != .freeTrial, random.chance(refundShare) { refund(place) }
        if product.isShareable, original == nil, offer != .freeTrial, random.chance(familyShare) {
            for _ in 0...random.below(3) { share(place) }
        }
        return place
    }

    private mutating func refund(_ place: Int) {
        let purchase = purchases[place]
        let at = purchase.at + random.length(.days(1) ... .days(25))
        let isProrated = purchase.expiresAt != nil && random.chance(0.5)
        let isNew = random.chance(0.8)
        let reversedAt = random.chance(0.2) ? at + random.length(.days(1) ... .days(10)) : nil
        purchases[place].refund = SimulatedPurchase.Refund(
            at: at, type: isProrated ? "REFUND_PRORATED" : isNew ? "REFUND_FULL" : nil,
            percentage: isProrated ? 1_000 + Int64(random.below(98_000)) : isNew && random.chance(0.5) ? 100_000 : nil,
            reason: random.chance(0.3) ? 1 : 0, reversedAt: reversedAt)
        if purchase.expiresAt == nil, random.chance(0.5) {
            note(.asked, place, at: purchase.at + Milliseconds((at - purchase.at).count / 2))
        }
        note(purchase.expiresAt == nil ? .refunded : .refundedSubscription, place, at: at)
        if let reversedAt { note(.reversed, place, at: reversedAt) }
    }

    /// A member of the family has the purchase too, under a transaction of its own; some lose it again.
    private mutating func share(_ source: Int) {
        let (shared, place) = (purchases[source], purchases.count)
        let at = shared.at + random.length(.hours(1) ... .days(5))
        let endsAt = random.chance(0.3) ? at + random.length(.days(3) ... .days(20)) : nil
        purchases.append(
            SimulatedPurchase(
                product: shared.product, owner: place, original: place, at: at, expiresAt: shared.expiresAt,
                quantity: 1, price: shared.price, isRenewal: false, offer: shared.offer,
                refund: endsAt.map {
                    SimulatedPurchase.Refund(at: $0, type: "FAMILY_REVOKE", percentage: nil, reason: 0, reversedAt: nil)
                }))
        note(shared.expiresAt == nil ? .bought : .subscribed, place, at: at)
        if let endsAt { note(.revoked, place, at: endsAt) }
    }

    /// Notes that a purchase is notified of, some seconds after it happened.
    private mutating func note(
        _ name: SimulatedStoreEvent.Name, _ place: Int, at: Moment, renewal: SimulatedStoreEvent.Renewal? = nil,
        status: Int64? = nil
    ) {
        events.append(
            SimulatedStoreEvent(
                name: name, at: at + random.length(Milliseconds(800)...Milliseconds(30_000)), purchase: place,
                renewal: renewal, status: status))
    }

    /// Notes it with what is said about the next renewal, which `change` makes other than usual.
    private mutating func note(
        _ name: SimulatedStoreEvent.Name, _ life: Life, at: Moment, status: Int64 = 1,
        change: (inout Life) -> Void = { _ in }
    ) {
        var life = life
        change(&life)
        let renewal = SimulatedStoreEvent.Renewal(
            product: life.product, isOn: life.isOn, price: storefront.price(life.dollars),
            at: purchases[life.latest].expiresAt ?? at, startedAt: life.startedAt, priceIncrease: life.priceIncrease,
            intent: life.intent, isInRetry: life.isInRetry, graceUntil: life.graceUntil)
        note(name, life.latest, at: at, renewal: renewal, status: status)
    }
}
