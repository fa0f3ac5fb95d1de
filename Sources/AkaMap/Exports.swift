// One import is enough for an app: the types in these declarations come with it.
@_exported public import VocCommon
