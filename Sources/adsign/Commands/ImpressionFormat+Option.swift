public import AdAttribution
public import ArgumentParser

/// `--format json`, `storekit`, `openrtb` and `jws`.
extension ImpressionFormat: ExpressibleByArgument {}
