import AppStoreClient
import AppleAds

extension SettingsReader {
    /// `APPLE_ADS` and `APPLE_ADS_URL`.
    mutating func appleAds() -> AppleAdsConfiguration {
        var appleAds = AppleAdsConfiguration()
        let exchanges: Switch = choice(.appleAds) ?? .on
        appleAds.isOn = exchanges == .on
        if let text = text(.appleAdsURL) {
            if let address = AppleAdsAddress(loopback: text) {
                appleAds.address = address
            } else {
                refuse(.appleAdsURL, "must be \(AppleAdsAddress.loopbackRule), not \"\(text.prefix(60))\"")
            }
        }
        return appleAds
    }
}
