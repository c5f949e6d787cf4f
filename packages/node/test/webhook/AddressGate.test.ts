import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { AddressGate } from "../../src/index.ts"

/** First and last of each range, then the nearest outside that are public. */
const ranges: ReadonlyArray<readonly [string, string, ...ReadonlyArray<string>]> = [
  ["0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"],
  ["192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "239.255.255.255", "223.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
  [
    "2620:4f:8000::",
    "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8001::"
  ],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"],
  // Around 2000::/3, all of which is refused outside.
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
]

describe("which addresses are public", () => {
  it.each(ranges)("refuses %s to %s and lets its neighbours through", (first, last, ...outside) => {
    assert.deepStrictEqual([first, last].map(AddressGate.isPublic), [false, false])
    assert.deepStrictEqual(outside.map(AddressGate.isPublic), outside.map(() => true))
  })

  it.each([
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "fec0::1",
    "ff02::1",
    "",
    "example.com",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "8.8.8.8 ",
    "[2606:4700::1]",
    "1.2.3.4/8"
  ])("refuses %s", (address) => assert.isFalse(AddressGate.isPublic(address)))

  it.each(["8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"])(
    "lets %s through",
    (address) => assert.isTrue(AddressGate.isPublic(address))
  )
})

const refuses = (url: string, exemptions: AddressGate.Exemptions = {}) =>
  Option.isSome(AddressGate.refuses(url, exemptions))

describe("which addresses can be set as an endpoint", () => {
  it.each([
    "https://hooks.example.com/a?b=c#d",
    "https://hooks.example.com:443/",
    "https://hooks.example.com:8443/",
    "HTTPS://Hooks.Example.COM",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/"
  ])("takes %s", (url) => assert.isFalse(refuses(url)))

  it.each([
    "",
    "hooks.example.com",
    "/hook",
    "http://hooks.example.com/",
    "ftp://hooks.example.com/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://hooks.example.com:80/",
    "https://hooks.example.com:22/",
    "https://user@hooks.example.com/",
    "https://user:pw@hooks.example.com/",
    "https://8.8.8.8/",
    "https://127.0.0.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://１２７.0.0.1/",
    "https://[::1]/",
    "https://[2606:4700::1111]/",
    "https://localhost/",
    "https://a.localhost/",
    "https://intranet/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://router.home.arpa/",
    "https://x.onion/",
    "https://hooks.example.com./",
    "https://a..example.com/",
    `https://hooks.example.com/${"a".repeat(2048)}`
  ])("refuses %s", (url) => assert.isTrue(refuses(url)))

  it.each([
    "http://127.0.0.1:4000/hook",
    "http://127.0.0.1",
    "http://localhost:1/",
    "http://localhost?x",
    "http://localhost#x"
  ])(
    "takes %s while developing, and not otherwise",
    (url) => assert.deepStrictEqual([refuses(url, { loopback: true }), refuses(url)], [false, true])
  )

  it.each([
    "https://127.0.0.1/",
    "https://localhost/",
    "http://127.0.0.2/",
    "http://127.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://[::1]/",
    "http://localhost.:80/",
    "http://localhost.example.com/",
    "http://localhost@evil.example/",
    "http://127.0.0.1:80@evil.example/",
    "http://localhost\\@evil.example/",
    "http://user@localhost/",
    " http://localhost/",
    "http://10.0.0.1/",
    "http://0.0.0.0/"
  ])("refuses %s even while developing", (url) => assert.isTrue(refuses(url, { loopback: true })))

  it("allows the operator's exact hosts and ports, also by http", () => {
    const allow = ["receiver:8080", "10.0.0.5:443"]
    const urls = [
      "http://receiver:8080/x",
      "https://receiver:8080/",
      "https://10.0.0.5/",
      "http://receiver/",
      "http://receiver:8081/",
      "http://10.0.0.5/"
    ]
    assert.deepStrictEqual(urls.map((url) => refuses(url, { allow })), [false, false, false, true, true, true])
  })
})
