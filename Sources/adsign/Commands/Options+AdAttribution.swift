public import AdAttribution
public import ArgumentParser

/// `--curve p256` and `--curve p192`.
extension Curve: ExpressibleByArgument {}

/// `--format json`, `storekit`, `openrtb` and `jws`.
extension ImpressionFormat: ExpressibleByArgument {}
