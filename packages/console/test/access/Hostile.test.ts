import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as LinkAttempts from "../../src/access/LinkAttempts.ts"
import { layer, link, login, openStream, outcome, send } from "../Fixture.ts"

const { fromEntries } = Object

describe("The console, to those who attack it,", () => {
  it.effect("opens a link once, however many open it at the same time", () =>
    Effect.gen(function*() {
      const token = yield* link()
      const opened = yield* Effect.all(
        Array.from({ length: 20 }, () => send("session", { body: { token } })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(opened.filter(({ status }) => status === 200).length, 1)
      const cookies = opened.flatMap(({ headers }) => headers.getSetCookie())
      assert.strictEqual(cookies.length, 1)
    }).pipe(Effect.provide(layer())))

  it.effect("refuses ten thousand guesses of a link after the first twenty in a minute", () =>
    Effect.gen(function*() {
      const { failed } = yield* LinkAttempts.make
      const guess = Effect.map(failed("192.0.2.1"), ({ allowed }) => allowed)
      const allowed = yield* Effect.replicateEffect(guess, 10_000)
      assert.deepStrictEqual(allowed.indexOf(false), LinkAttempts.limit)
      assert.strictEqual(allowed.filter((isAllowed) => isAllowed).length, LinkAttempts.limit)
      assert.isTrue((yield* failed("192.0.2.2")).allowed)
      yield* TestClock.adjust("61 seconds")
      assert.isTrue(yield* guess)
    }))

  it.effect("reads no body beyond its limit, and none of a user that it does not know", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const text = "x".repeat(300_000)
      const large: ReadonlyArray<readonly [string, string, object]> = [
        ["session", "POST", { token: text }],
        [`accounts/${accountId}/policy`, "PUT", { policy: { time_zone: text } }],
        [`accounts/${accountId}/talks`, "POST", { definition: { script: text } }],
        [`accounts/${accountId}/v1/calls`, "POST", { phone_number: text }]
      ]
      for (const [path, method, body] of large) {
        assert.strictEqual(outcome(yield* send(path, { cookie, method, body })), "413 payload_too_large", path)
      }
      const stranger = yield* send(`accounts/${accountId}/policy`, { method: "PUT", body: { policy: text } })
      assert.strictEqual(outcome(stranger), "401 unauthenticated")
      const deep = JSON.parse(`${"{\"a\":".repeat(100)}1${"}".repeat(100)}`)
      const nested = yield* send(`accounts/${accountId}/policy`, { cookie, method: "PUT", body: { policy: deep } })
      assert.strictEqual(outcome(nested), "400 invalid_json")
    }).pipe(Effect.provide(layer())))

  it.effect("takes the names of JSON's fields for nothing but names", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const viewer = yield* login({ role: "viewer" })
      const own = (name: string, value: unknown) => fromEntries([[name, value]])
      for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
        const polluting = own(name, { role: "admin", polluted: true })
        for (const path of ["session", `accounts/${accountId}`, `accounts/${accountId}/policy/preview`]) {
          const { status } = yield* send(path, {
            cookie,
            method: path.endsWith(accountId) ? "PATCH" : "POST",
            body: polluting
          })
          assert.strictEqual(status, 400, `${path} ${name}`)
        }
        const metadata = own(name, "+14155550137")
        const body = {
          agent_id: agentId,
          phone_number: "+14155550137",
          metadata,
          variables: { topic: "x" },
          test: true
        }
        const { body: call, status } = yield* send(`accounts/${accountId}/v1/calls`, { cookie, body })
        assert.oneOf(status, [201, 400], name)
        if (status !== 201) continue
        const seen = yield* send(`accounts/${accountId}/v1/calls/${call.id}`, { cookie: viewer })
        assert.notInclude(seen.text, "4155550137")
      }
      assert.isUndefined(({} as { readonly polluted?: true }).polluted)
      assert.strictEqual(outcome(yield* send("session", { cookie: viewer })), "200")
    }).pipe(Effect.provide(layer())))

  it.effect("finds no way around its paths", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const viewer = yield* login({ role: "viewer", accountId })
      const paths = [
        `accounts/${accountId}/v1/../../../audit`,
        `accounts/${accountId}/v1/%2e%2e/%2e%2e/audit`,
        `accounts/${accountId}/v1//audit`,
        `accounts/${accountId}%2f..%2facct_0/v1/calls`,
        `accounts/${accountId}/v1/calls;/../../sessions`,
        `./audit`,
        "AUDIT",
        "audit/",
        `accounts/${accountId}/v1/../keys`
      ]
      for (const path of paths) {
        assert.match(outcome(yield* send(path, { cookie: viewer })), /^40[345]/, path)
      }
      for (
        const path of ["/console/../etc/passwd", "/console/%2e%2e/%2e%2e/package.json", "/console/assets/%2e%2e/x"]
      ) {
        const { headers, text } = yield* send(path)
        assert.notMatch(text, /root:|"dependencies"/, path)
        assert.isTrue(headers.has("content-security-policy"), path)
      }
    }).pipe(Effect.provide(layer())))

  it.effect("sends only what it means to in a stream, also if the client names a strange last event", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const strange = ["call_1-1 event: sealed", "__proto__-1", "-".repeat(8000), "é", "call_1-99999999999999999999"]
      for (const id of strange) {
        const headers = { "last-event-id": encodeURIComponent(id) }
        const { read, status } = yield* openStream(`accounts/${accountId}/live`, { cookie, headers })
        assert.strictEqual(status, 200)
        assert.strictEqual(yield* read, ":\n\n")
        assert.match(
          (yield* read) ?? "",
          /^event: changed\nid: live\ndata: \{[^\n]*\}\n\n$|^id: live\nevent: changed\ndata: \{[^\n]*\}\n\n$/
        )
      }
    }).pipe(Effect.provide(layer()), Effect.scoped))
})
