// One import is enough for an app: the types in the client's own declarations come with it.
@_exported public import Acceleration
@_exported public import Beacons
@_exported public import Conditions
@_exported public import ContentStore
@_exported public import HTTPCaching
@_exported public import HTTPModel
@_exported public import NetworkQuality
@_exported public import Prepositioning
@_exported public import Primitives
@_exported public import Transport
@_exported public import Wire

#if os(Linux)
    @_exported public import LocalProxy
#endif
