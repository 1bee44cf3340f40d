import ConnectionTransport

extension SettingsReader {
    /// `TLS_CERTIFICATE_PATH` and `TLS_PRIVATE_KEY_PATH`, both or neither.
    func certificate() throws(SettingsError) -> CertificateFiles? {
        switch (try text(.certificatePath), try text(.privateKeyPath)) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return CertificateFiles(certificatePath: certificate, privateKeyPath: key)
        case (_?, nil): throw missing(.privateKeyPath, because: .certificatePath)
        case (nil, _?): throw missing(.certificatePath, because: .privateKeyPath)
        }
    }
}
