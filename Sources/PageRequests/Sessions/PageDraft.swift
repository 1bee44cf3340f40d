import AdminAPI
import Encodings

/// What somebody typed into a form of the page, and sent after the session had ended.
package struct PageDraft: Sendable {
    /// Names and texts of the fields, without the token of the form.
    package let fields: [(name: String, value: String)]
    /// Whether files were chosen, which are not kept.
    let hasFiles: Bool

    /// What the page says of it where it is in the form again.
    var notice: String {
        "Your session had ended when you sent this form, so nothing was changed. What you typed is in the form again; "
            + (hasFiles ? "choose the files again, and send it." : "send it again.")
    }
}

/// The drafts of sessions.
extension PageSessions {
    /// Keeps what was sent in a session that has ended.
    func keep(_ draft: PageDraft, of session: Session, path: String) async throws {
        try await store.keepPageDraft(
            PercentEncoding.query(of: draft.fields), hasFiles: draft.hasFiles, of: storedKey(session), path: path,
            at: now)
    }

    /// What is kept of a session for a screen; nil if there is nothing.
    func draft(of session: Session, path: String) async throws -> PageDraft? {
        guard let draft = try await store.pageDraft(of: storedKey(session), path: path, at: now) else { return nil }
        return PageDraft(fields: try FormPairs.read(draft.fields.utf8, field: "draft"), hasFiles: draft.hasFiles)
    }

    /// Whether anything is kept of a session.
    func hasDrafts(_ session: Session) async throws -> Bool {
        try await store.hasPageDrafts(of: storedKey(session), at: now)
    }

    /// Gives what is kept of a session to another one.
    func passDrafts(of session: Session, to other: Session) async throws {
        try await store.passPageDrafts(of: storedKey(session), to: storedKey(other))
    }

    /// Removes what is kept of a session for a screen.
    func removeDraft(of session: Session, path: String) async throws {
        try await store.removePageDraft(of: storedKey(session), path: path)
    }
}
