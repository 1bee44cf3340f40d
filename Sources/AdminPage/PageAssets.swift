/// Files that pages refer to.
package enum PageAssets {
    /// The style of all pages.
    package static var style: [UInt8] { PackageResources.page_css }
    /// The script of the screen with live events.
    package static var liveScript: [UInt8] { PackageResources.live_js }
    /// The icon.
    package static var icon: [UInt8] { PackageResources.icon_svg }
}
