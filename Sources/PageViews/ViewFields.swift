import Mustache

/// The fields of a view by name, read once.
///
/// For each name in a template the library reads all fields of a view by reflection. If none has the name, it reads those of the
/// views around it too. A view that is a `MustacheParent` finds its fields itself.
final class ViewFields: MustacheParent {
    private let values: [String: Any]

    /// Reads the fields of a view, and of the views in it.
    init(of view: Any) {
        let fields = Mirror(reflecting: view).children.compactMap { field in
            field.label.flatMap { name in Self.shown(field.value).map { (name, $0) } }
        }
        values = Dictionary(uniqueKeysWithValues: fields)
    }

    func child(named name: String) -> Any? { values[name] }

    /// A value as templates take it: lists of views, a view, or what has a text of its own; nil for nil.
    private static func shown(_ value: Any) -> Any? {
        if value is any MustacheParent { return value }
        if let list = value as? [Any] { return list.compactMap(shown) }
        if let text = value as? any CustomStringConvertible { return text }
        let mirror = Mirror(reflecting: value)
        return switch mirror.displayStyle {
        case .optional: mirror.children.first.flatMap { shown($0.value) }
        case .struct, .class: ViewFields(of: value)
        default: value
        }
    }
}
