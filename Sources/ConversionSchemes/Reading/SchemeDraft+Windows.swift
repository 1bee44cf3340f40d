import AdAttribution
import StrictJSON

extension SchemeDraft {
    /// Reads an entry of `windows`; nil if its index is wrong.
    static func window(_ node: DocumentNode) -> (Int, SchemeWindow, WindowPlaces)? {
        guard var reader = node.object() else { return nil }
        let index = reader.required("index")?.integer(PostbackSequenceIndex.rule, PostbackSequenceIndex.init)
        var window = SchemeWindow()
        var places = WindowPlaces()
        if let fine = reader.member("fine") {
            node.findings.refuse(
                fine.place, "fine values stand in the member fine of the scheme; windows 1 and 2 are coarse only")
        }
        if let node = reader.member("coarse"), var coarse = node.object() {
            for value in CoarseConversionValue.ascending {
                guard let node = coarse.member(value.rawValue), var reader = node.object() else { continue }
                window.coarse[value] = Meaning(&reader)
                places.coarse[value] = node.place
                reader.refuseOthers()
            }
            coarse.refuseOthers()
        }
        if let node = reader.value("lock") {
            places.locks = node.place
            window.locks = triggers(node)
        }
        reader.refuseOthers()
        return index.map { (Int($0.value), window, places) }
    }

    private static func triggers(_ node: DocumentNode) -> [LockTrigger] {
        guard case LocatedJSON.Value.array = node.json.value else { return trigger(node).map { [$0] } ?? [] }
        return node.array()?.compactMap(trigger) ?? []
    }

    private static func trigger(_ node: DocumentNode) -> LockTrigger? {
        guard var reader = node.object() else { return nil }
        let event = reader.member("event")?.text(EventName.rule, EventName.init).map(LockTrigger.event)
        let coarse = reader.member("coarse")?
            .text(CoarseConversionValue.rule) { CoarseConversionValue(rawValue: $0) }.map(LockTrigger.coarse)
        let fine = reader.member("fine")?.integer(ConversionValue.rule, ConversionValue.init).map(LockTrigger.fine)
        reader.refuseOthers()
        guard reader.members.count == 1 else {
            node.findings.refuse(node.place, "must have one member: event, coarse or fine")
            return nil
        }
        return event ?? coarse ?? fine
    }
}
