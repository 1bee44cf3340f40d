import Mustache

/// The templates of the page, read once.
package struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Reads the embedded templates.
    ///
    /// - Throws: An error of the parser if a template is wrong.
    package init() throws {
        MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.files {
            // The library escapes by whole characters, and a quotation mark with a combining mark behind it is another
            // character. So every template begins by choosing our escaping.
            let text = "{{% CONTENT_TYPE:\(PageEscaping.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// The HTML of a view.
    package func html(_ view: some PageView) -> String {
        library.render(ViewFields(of: view), withTemplate: view.template.rawValue) ?? ""
    }

    private static let files: [(name: String, bytes: [UInt8])] = [
        ("layout", PackageResources.layout_mustache), ("signin", PackageResources.signin_mustache),
        ("message", PackageResources.message_mustache), ("report", PackageResources.report_mustache),
        ("filters", PackageResources.filters_mustache), ("figure", PackageResources.figure_mustache),
        ("chart", PackageResources.chart_mustache), ("table", PackageResources.table_mustache),
        ("tools", PackageResources.tools_mustache), ("live", PackageResources.live_mustache),
        ("block", PackageResources.block_mustache), ("form", PackageResources.form_mustache),
        ("errors", PackageResources.errors_mustache),
    ]
}

/// Files that pages refer to.
package enum PageAssets {
    /// The style of all pages.
    package static var style: [UInt8] { PackageResources.page_css }
    /// The script of the screen with live events.
    package static var liveScript: [UInt8] { PackageResources.live_js }
    /// The script of screens with days.
    package static var copyScript: [UInt8] { PackageResources.copy_js }
    /// The icon.
    package static var icon: [UInt8] { PackageResources.icon_svg }
}
