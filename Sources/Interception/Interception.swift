// Stub: replaced by the real module.
