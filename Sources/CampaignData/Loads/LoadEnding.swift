import PostgresClient

/// How a load ends if nothing is wrong.
package enum LoadEnding: Sendable {
    /// Nothing is stored; it only says what it would do.
    case rollback
    /// It is stored.
    case commit
    /// It is stored if it still does what was shown before.
    case commitIf(LoadConfirmation)

    /// How the transaction ends.
    var ofTransaction: PostgresConnection.Ending {
        if case .rollback = self { .rollback } else { .commit }
    }

    /// Whether it is stored.
    var isStored: Bool {
        if case .rollback = self { false } else { true }
    }

    /// What was shown before; nil if nothing was.
    var confirmation: LoadConfirmation? {
        if case .commitIf(let confirmation) = self { confirmation } else { nil }
    }

    /// Whether the rows that it changes are shown.
    var isShown: Bool {
        if case .commit = self { false } else { true }
    }
}
