/** Hostile requests from a seed: valid requests with mutations. */

/** A number from 0 to 1, the same for the same seed (mulberry32). */
export const randomOf = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Random = () => number

export const pick = <A>(random: Random, items: ReadonlyArray<A>): A => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined && items.length === 0) throw new Error("There is nothing to pick from")
  return item as A
}

const own = (key: string, value: unknown): object =>
  Object.defineProperty({}, key, { value, enumerable: true, configurable: true, writable: true })

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values for any place of a body. */
export const values: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  9007199254740992,
  "",
  " ",
  "\u0000",
  "\ud800",
  "a\udfff b",
  "\u202e\u200b",
  "x".repeat(5000),
  "😀".repeat(400),
  "true",
  "2026-03-02T10:00:00Z",
  "0000-00-00T99:99:99Z",
  "+275760-09-13T00:00:00.001Z",
  "+14155550100",
  "call_0",
  "'; drop table calls; --",
  [],
  {},
  [null],
  [[]],
  { toString: "x", valueOf: 1, constructor: null },
  own("__proto__", { test: true }),
  own("hasOwnProperty", 1),
  nested(40),
  nested(80),
  Array.from({ length: 300 }, (_, n) => n)
]

/** Keys to put where none belong. */
const keys = ["__proto__", "constructor", "", "a".repeat(300), "\ud800", "toJSON", "length", "agent_id", "0", "id"]

/** The value with one to three places of it bent. */
export const mutate = (random: Random, value: unknown): unknown => {
  let bent = value
  for (let n = Math.ceil(random() * 3); n > 0; n--) bent = bend(random, bent)
  return bent
}

const bend = (random: Random, value: unknown): unknown => {
  if (Array.isArray(value) && value.length > 0 && random() < 0.85) {
    const at = Math.floor(random() * value.length)
    return random() < 0.15
      ? [...value, ...value]
      : value.map((item: unknown, index) => index === at ? bend(random, item) : item)
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && random() < 0.9) {
    const entries = Object.entries(value)
    const dice = random()
    if (dice < 0.15 && entries.length > 0) {
      const [gone] = pick(random, entries)
      return fromEntries(entries.filter(([key]) => key !== gone))
    }
    if (dice < 0.3 || entries.length === 0) return fromEntries([...entries, [pick(random, keys), pick(random, values)]])
    const [bentKey] = pick(random, entries)
    return fromEntries(entries.map(([key, inner]) => [key, key === bentKey ? bend(random, inner) : inner]))
  }
  return pick(random, values)
}

const fromEntries = (entries: ReadonlyArray<readonly [string, unknown]>): object => Object.fromEntries(entries)

/** Bodies that are no JSON object, and JSON that parsers disagree about. */
export const bodies: ReadonlyArray<string | Uint8Array<ArrayBuffer>> = [
  "",
  "{",
  "[]",
  "null",
  "\"x\"",
  "{\"a\":1,\"a\":2}",
  "{\"__proto__\":{\"test\":true}}",
  "{\"a\":1e999}",
  "\ufeff{}",
  "{}\u0000",
  "[".repeat(5000),
  `{"calls":${"[".repeat(60)}${"]".repeat(60)}}`,
  `{"phone_number":"${"1".repeat(200_000)}"}`,
  `{"x":"${"y".repeat(270_000)}"}`,
  new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
  new Uint8Array(1000)
]

/** Parts of paths, as they stand on the wire. */
export const pathParts: ReadonlyArray<string> = [
  "call_0",
  "call_",
  "batch_0",
  "evt_0",
  "dlv_0",
  "00000000-0000-4000-8000-000000000000",
  "call_%00",
  "%00",
  "%20",
  "%252e%252e",
  "%2F..%2Fwebhook",
  "%ED%A0%80",
  "%",
  "%zz",
  "__proto__",
  "constructor",
  "call_%F0%9F%98%80",
  "a".repeat(3000),
  ":id",
  "*",
  "CALL_0"
]

/** Values of query parameters, as they stand on the wire. */
export const queryValues: ReadonlyArray<string> = [
  "",
  "0",
  "-1",
  "1",
  "100",
  "101",
  "1e3",
  "99999999999999999999999999",
  "NaN",
  "true",
  "TRUE",
  "null",
  "%00",
  "%ED%A0%80",
  "%",
  "%zz",
  "queued",
  "queued&status=busy",
  "call_0",
  "batch_0",
  "evt_0",
  "00000000-0000-4000-8000-000000000000",
  "2026-03-02",
  "2026-03-02T10:00:00Z",
  "2026-03-02T10%3A00%3A00%2B02%3A00",
  "%2B14155550100",
  "+14155550100",
  "WzEsMCwiY2FsbF8wIl0",
  "WzEsOTk5OTk5OTk5OTk5OTk5LCJjYWxsXzAiXQ",
  "WzEsMCwiXHVkODAwIl0",
  "x".repeat(2000),
  "%27%3B%20drop%20table%20calls%3B--"
]

export const queryNames: ReadonlyArray<string> = [
  "__proto__",
  "constructor",
  "a%5Bb%5D",
  "",
  "limit%5B%5D",
  "%00",
  "%zz",
  "Limit"
]

/** Headers, one of which goes with a hostile request. */
export const headers: ReadonlyArray<readonly [string, string]> = [
  ["content-type", "text/plain"],
  ["content-type", "application/json; charset=utf-16"],
  ["content-type", "application/JSON"],
  ["content-type", ""],
  ["content-type", "multipart/form-data; boundary=x"],
  ["content-encoding", "gzip"],
  ["content-length", "-1"],
  ["content-length", "99999999999"],
  ["transfer-encoding", "chunked"],
  ["idempotency-key", "k"],
  ["idempotency-key", "x".repeat(300)],
  ["idempotency-key", "\u00e9"],
  ["idempotency-key", ""],
  ["accept", "text/html"],
  ["accept-encoding", "*;q=0"],
  ["x-request-id", "x\u00ff"],
  ["x-http-method-override", "DELETE"],
  ["authorization", "Basic eDp5"],
  ["authorization", "Bearer "],
  ["authorization", "Bearer vak_call_other"],
  ["x-api-key", "vak_call_x"],
  ["host", "evil.example"],
  ["traceparent", "00-0-0-00"],
  ["b3", "x"],
  ["cookie", "a=b; __proto__=c"],
  ["range", "bytes=0-"],
  ["expect", "100-continue"]
]
