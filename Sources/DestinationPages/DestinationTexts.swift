import Destinations
import Forwarding
import PageViews

/// How the page says what is known of a destination.
extension DestinationStatus {
    /// The state, why it is so, and what is wrong.
    var stateText: String {
        var texts = [stateReason.map { "\(state.rawValue): \($0)" } ?? state.rawValue]
        if isBreakerOpen { texts.append("its last attempts failed, so one probe a minute is sent") }
        if let problem { texts.append(problem) }
        if let replay { texts.append("replay: \(replay.text)") }
        return texts.joined(separator: "; ")
    }
}

extension TableCell {
    /// A number of things.
    static func count(_ number: Int64) -> TableCell {
        TableCell(NumberText.decimal("\(number)", places: 0), exact: "\(number)")
    }

    /// A time of so many seconds.
    static func seconds(_ seconds: Double) -> TableCell {
        TableCell(NumberText.duration(seconds: seconds), exact: "\(seconds)")
    }

    /// A number of events a second.
    static func rate(_ number: Double) -> TableCell {
        TableCell(NumberText.decimal("\(number)", places: 1), exact: "\(number)")
    }
}
