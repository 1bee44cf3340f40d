/// The screen with live events.
package struct LiveView: PageView {
    let frame: PageFrame
    let events: TableView
    package var template: PageTemplate { .live }

    /// Takes what is shown.
    ///
    /// - Parameter events: The last events, the newest first.
    package init(_ frame: PageFrame, events: TableView) {
        self.frame = frame
        self.events = events
    }
}
