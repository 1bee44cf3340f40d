// Who imports AdAttribution has its keys and curves, too.
@_exported public import ECDSA
