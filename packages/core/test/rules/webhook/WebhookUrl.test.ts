import { assert, describe, it } from "@effect/vitest"
import { WebhookUrl } from "@outdial/core"

describe("how the address of a webhook is written", () => {
  it.each([
    "https://hooks.example.com/",
    "https://hooks.example.com",
    "https://hooks.example.com?tenant=7",
    "https://hooks.example.com/a/b?c=d&e=%2F",
    "HTTPS://Hooks.Example.COM/Path",
    "https://hooks.example.com:443/",
    "https://hooks.example.com:8443",
    "https://xn--bcher-kva.example/",
    "https://hooks.example.com/b%C3%BCro",
    "https://hooks.example.com//a//b",
    "https://hooks.example.com/a%2e/.well-known",
    "http://localhost:4010/hook",
    "http://127.0.0.1:80/",
    "queue://region/name",
    "no address"
  ])("takes %s as it is", (url) => assert.isUndefined(WebhookUrl.rewritten(url)))

  it.each([
    // Slashes that are missing, too many or the wrong way round.
    ["https:example.com", "https://example.com/"],
    ["https:/example.com", "https://example.com/"],
    ["https:///example.com", "https://example.com/"],
    ["https:////example.com/a", "https://example.com/a"],
    ["https:/\\example.com", "https://example.com/"],
    ["https:\\\\example.com", "https://example.com/"],
    ["https://\\example.com", "https://example.com/"],
    ["https://example.com\\@other.example", "https://example.com/@other.example"],
    ["https://example.com/a\\b", "https://example.com/a/b"],
    // Credentials that are empty.
    ["https://@example.com/", "https://example.com/"],
    ["https://:@example.com/", "https://example.com/"],
    // Ports.
    ["https://example.com:/", "https://example.com/"],
    ["https://example.com:0443/", "https://example.com/"],
    ["https://example.com:08443/", "https://example.com:8443/"],
    // Characters that are dropped.
    [" https://example.com/", "https://example.com/"],
    ["https://example.com/ ", "https://example.com/"],
    ["\u0000https://example.com/", "https://example.com/"],
    ["ht\ttps://example.com/", "https://example.com/"],
    ["https://exa\nmple.com/", "https://example.com/"],
    ["https://example.com/a\rb", "https://example.com/ab"],
    // Hosts that are read as others.
    ["https://ex%61mple.com/", "https://example.com/"],
    ["https://example%2ecom/", "https://example.com/"],
    ["https://example。com/", "https://example.com/"],
    ["https://example．com/", "https://example.com/"],
    ["https://example｡com/", "https://example.com/"],
    ["https://ｅxample.com/", "https://example.com/"],
    ["https://exam\u00adple.com/", "https://example.com/"],
    ["https://exam\u200bple.com/", "https://example.com/"],
    // The Kelvin sign, which is a k in lower case.
    ["https://hoo\u212as.example/", "https://hooks.example/"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    // Fragments, which are never sent.
    ["https://example.com#x", "https://example.com/"],
    ["https://example.com#", "https://example.com/"],
    ["https://example.com/a?b=c#d", "https://example.com/a?b=c"],
    // Paths and queries that are sent as others.
    ["https://example.com/a/../b", "https://example.com/b"],
    ["https://example.com/./b", "https://example.com/b"],
    ["https://example.com/a/%2e%2E/b", "https://example.com/b"],
    ["https://example.com/büro", "https://example.com/b%C3%BCro"],
    ["https://example.com/{tenant}", "https://example.com/%7Btenant%7D"],
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["https://example.com/?a='b'", "https://example.com/?a=%27b%27"]
  ])("says that %j is requested as %s", (url, requested) => {
    assert.strictEqual(WebhookUrl.rewritten(url), requested)
    assert.isUndefined(WebhookUrl.rewritten(requested), "what it says is taken")
  })
})
