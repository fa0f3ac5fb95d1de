import HTTPModel
import TestSupport
import Testing

@Suite struct CacheControlTests {
    @Test(
        "reads max-age as RFC 9111, section 1.2.2 says, and anything odd as invalid",
        arguments: [
            ("max-age=60", .value(60)), ("MAX-AGE=60", .value(60)), ("max-age=\"60\"", .value(60)),
            ("max-age=0", .value(0)), ("max-age=007", .value(7)), ("max-age=2147483648", .value(2_147_483_648)),
            ("max-age=99999999999999999999999", .value(2_147_483_648)), ("max-age=60, max-age=10", .value(60)),
            ("max-age=x, max-age=10", .invalid), ("max-age=-1", .invalid), ("max-age=1.5", .invalid),
            ("max-age='60'", .invalid), ("max-age", .invalid), ("max-age=", .invalid), ("max-age=\"\"", .invalid),
            ("max-age =60", .invalid), ("max-age= 60", .invalid), ("max-age=6 0", .invalid), ("max-age=+60", .invalid),
            ("max-age=\"60\"x", .invalid), ("max-age=0x10", .invalid), ("max-age=٦", .invalid),
            ("max-age=60;", .invalid),
            ("foo=\"max-age=1\", max-age=2", .value(2)), ("foo=\"a\\\", max-age=1\", max-age=3", .value(3)),
            (" ,, max-age=4 ,,", .value(4)), ("xmax-age=1", nil), ("max-agex=1", nil), ("", nil), ("s-maxage=9", nil),
        ] as [(String, CacheControl.Seconds?)])
    func maxAge(text: String, expected: CacheControl.Seconds?) {
        #expect(CacheControl(text).maxAge == expected)
    }

    @Test("reads the flags, in any case, with or without an argument they do not take")
    func flags() {
        let all = CacheControl(
            "No-Store, no-transform, ONLY-IF-CACHED, must-revalidate=1, proxy-revalidate, must-understand, public=\"x\", immutable"
        )
        #expect(all.noStore && all.noTransform && all.onlyIfCached && all.mustRevalidate && all.proxyRevalidate)
        #expect(all.mustUnderstand && all.isPublic && all.isImmutable && all.unknown.isEmpty)
        #expect(
            CacheControl("nostore, no_store, store")
                == {
                    var control = CacheControl();
                    control.unknown = [
                        .init(name: "nostore"), .init(name: "no_store"), .init(name: "store"),
                    ]; return control
                }())
    }

    @Test("reads no-cache and private with and without field names, the stricter of two")
    func scopes() {
        #expect(CacheControl("no-cache").noCache == .response)
        #expect(CacheControl("no-cache=\"Set-Cookie, X-A\"").noCache == .fields([.setCookie, "x-a"]))
        #expect(CacheControl("no-cache=Set-Cookie").noCache == .fields([.setCookie]))
        #expect(CacheControl("no-cache=\"\"").noCache == .response)
        #expect(CacheControl("no-cache=\"(\"").noCache == .response)
        #expect(CacheControl("no-cache=\"A\", no-cache").noCache == .response)
        #expect(CacheControl("no-cache, no-cache=\"A\"").noCache == .response)
        #expect(CacheControl("no-cache=\"A\", no-cache=\"B\"").noCache == .fields(["a", "b"]))
        #expect(CacheControl("private=\"X\"").isPrivate == .fields(["x"]))
        #expect(CacheControl("private").isPrivate == .response)
        #expect(CacheControl("public").noCache == nil)
    }

    @Test("reads request directives, invalid numbers in the cautious way")
    func requestDirectives() {
        #expect(CacheControl("max-stale").maxStale == .any)
        #expect(CacheControl("max-stale=5").maxStale == .seconds(5))
        #expect(CacheControl("max-stale=x").maxStale == nil)
        #expect(CacheControl("max-stale=").maxStale == nil)
        #expect(CacheControl("min-fresh=5").minFresh == .value(5))
        #expect(CacheControl("min-fresh").minFresh == .invalid)
        #expect(CacheControl("stale-if-error=5, stale-while-revalidate=6").staleIfError == .value(5))
        #expect(CacheControl("stale-if-error=5, stale-while-revalidate=6").staleWhileRevalidate == .value(6))
        #expect(CacheControl.Seconds.invalid.cautious == 0 && CacheControl.Seconds.value(3).cautious == 3)
    }

    @Test(
        "no quotation mark hides a directive behind it",
        arguments: [
            "foo=\"bar, no-store", "\"foo, no-store", "foo\"bar\", no-store", "foo=b\"ar, no-store", "foo=\"a\\",
            "no-store=\"x",
        ])
    func unbalancedQuotes(text: String) {
        #expect(CacheControl(text).noStore == text.contains("no-store"))
    }

    @Test("keeps unknown directives, up to a bound, and joins the lines of a message")
    func unknown() {
        let fields: HTTPFields = [
            "Cache-Control": "a=1, B=\"two, 2\"", "X": "no-store", "cache-control": "c, max-age=1",
        ]
        let control = CacheControl(fields)
        #expect(
            control.unknown == [
                .init(name: "a", argument: "1"), .init(name: "b", argument: "two, 2"), .init(name: "c"),
            ])
        #expect(control.maxAge == .value(1) && !control.noStore)
        let many = CacheControl((0..<1_000).map { "x\($0)" }.joined(separator: ",") + ", no-store")
        #expect(many.unknown.count == 64 && many.noStore)
    }

    @Test("survives random text and reads it the same way twice")
    func random() {
        var generator = SeededGenerator(seed: 5)
        let pieces = [
            "max-age", "no-cache", "=", "\"", ",", " ", "\\", "1", "é", "\t", "no-store", "private", "x", "-",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            let control = CacheControl(text)
            #expect(control == CacheControl(text))
            if let value = control.maxAge?.cautious { #expect(value >= 0 && value <= DeltaSeconds.maximum) }
            let names = text.split(separator: ",").map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
            if !text.contains("\""), !text.contains("="), names.contains("no-store") { #expect(control.noStore) }
        }
    }
}
