extension String {
    /// The text with every URL in it cut to scheme, host and path: without user information, query and fragment.
    var withBareURLs: String {
        replacing(/([A-Za-z][A-Za-z0-9+.\-]*:\/\/)(?:[^\s\/?#"'<>]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/) { match in
            match.output.1 + match.output.2
        }
    }
}
