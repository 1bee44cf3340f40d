/// The members of a JOSE header that matter here (RFC 7515, section 4.1).
enum JWSHeaderField: String, WireFieldName {
    case algorithm = "alg"
    case critical = "crit"
    case keyID = "kid"

    static let names = WireFieldNames<Self>()
}
