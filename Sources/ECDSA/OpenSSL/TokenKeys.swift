internal import COpenSSL
import Synchronization

/// Private keys of tokens, by a provider of libcrypto for `pkcs11:` URIs, or by its engine if there is none.
///
/// Which module of PKCS #11 is used is set for the provider in `openssl.cnf`, and for the engine there or by
/// `PKCS11_MODULE_PATH`.
enum TokenKeys {
    /// The engine, once it has been found.
    private struct Engine: @unchecked Sendable {
        // Sendable: libcrypto guards engines by locks, and `engine` lets one caller at a time load a key.
        var pointer: OpaquePointer?
    }

    private static let engine = Mutex(Engine())

    /// Finds a key.
    ///
    /// - Returns: The key, which the caller owns.
    static func key(_ uri: TokenKeyURI, _ pin: Passphrase?) throws(KeyError) -> OpaquePointer {
        let found = engine.withLock { engine -> Result<EVPPointer, KeyError> in
            ERR_clear_error()
            guard let questions = adattribution_questions() else { return .failure(.unavailable) }
            defer { UI_destroy_method(questions) }
            let isProvided = adattribution_has_token_provider() == 1
            if !isProvided, engine.pointer == nil {
                engine.pointer = adattribution_token_engine()
                ERR_clear_error()
                guard engine.pointer != nil else { return .failure(.noTokenAccess) }
            }
            let pointer = engine.pointer
            let key = Passphrase.withSecret(of: pin) { secret in
                isProvided
                    ? adattribution_provided_key(uri.text, questions, &secret)
                    : adattribution_engine_key(pointer, uri.text, questions, &secret)
            }
            defer { ERR_clear_error() }
            guard let key else { return .failure(.token(reason: reason)) }
            return .success(EVPPointer(pointer: key))
        }
        return try found.get().pointer
    }

    /// A pointer on its way out of the lock.
    private struct EVPPointer: @unchecked Sendable {
        // Sendable: nobody else has it.
        let pointer: OpaquePointer
    }

    /// What libcrypto says first about the error.
    private static var reason: String {
        guard let text = ERR_reason_error_string(ERR_peek_error()) else { return "no key is there" }
        return String(cString: text)
    }
}
