package import PostgresClient

/// What a run of `reconcile` found out; `attribution.report_copy_agreement` has the same by campaign.
package struct Agreement: Sendable, Equatable {
    /// Where the time that the archive covers is from.
    package enum RangeSource: String, Sendable {
        /// The times of receipt in the archive.
        case archive
        /// When the postbacks of the archive were received here, since the archive has no times.
        case matches
        /// Somebody gave the days.
        case option
        /// Nothing tells it, so no postback is only here.
        case nothing
    }

    /// Numbers of postbacks.
    package struct Counts: Sendable, Equatable {
        /// Both sides have them with one value, or with values that a raise explains.
        package var matched: Int64 = 0
        /// Of `matched`: the archive has a value that was here before a raise.
        package var raisedHere: Int64 = 0
        /// Of `matched`: one delivery of the archive has the value that is here, and another one raised it.
        package var raisedThere: Int64 = 0
        /// Both sides have them, and no raise explains their values.
        package var valueDiffers: Int64 = 0
        /// Of `valueDiffers`: the value here is the higher one of the same kind.
        package var higherHere: Int64 = 0
        /// Of `valueDiffers`: the value of the archive is the higher one of the same kind.
        package var higherThere: Int64 = 0
        /// Both sides have the key, with other signed fields.
        package var signedDiffers: Int64 = 0
        /// Only here, though the archive should have them.
        package var onlyHere: Int64 = 0
        /// Of `onlyHere`: near an end of the time that the archive covers.
        package var onlyHereAtEnd: Int64 = 0
        /// Only in the archive, though this side should have them.
        package var onlyThere: Int64 = 0
        /// Of `onlyThere`: so new that they may still come.
        package var onlyThereAtEnd: Int64 = 0
        /// Only in the archive, because Apple sends this side no copy.
        package var notCopied: Int64 = 0
        /// Only in the archive, from before the first day here.
        package var beforeBegin: Int64 = 0

        /// Starts with zeros.
        package init() {}
    }

    /// The number of the run.
    package let run: Int32
    /// Whose archive it is.
    package let side: ArchiveSide
    /// The time that the archive covers; nil if nothing tells it.
    package let times: ClosedRange<PostgresTimestamp>?
    /// Where that is from.
    package let timesBy: RangeSource
    /// The postbacks of the archive.
    package let postbacks: Int64
    /// What became of them, and of those that are here.
    package let counts: Counts
}
