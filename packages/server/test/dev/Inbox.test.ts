import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import * as Inbox from "../../src/dev/Inbox.ts"

describe("the inbox of outdial dev", () => {
  it.effect("says to a browser what its address is for, and shows it no event", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const printed: Array<string> = []
      const inbox = yield* Inbox.make(accountId, (line) => Effect.sync(() => void printed.push(line)))
      const handle = HttpEffect.toWebHandler(inbox)
      const answer = (method: string) =>
        Effect.promise(async () => {
          const { headers, status } = await handle(new Request("http://127.0.0.1/inbox", { method }))
          return { status, allow: headers.get("allow") }
        })
      for (const method of ["GET", "PUT", "DELETE"]) {
        const { allow, status } = yield* answer(method)
        assert.deepStrictEqual([status, allow], [405, "POST"], method)
      }
      const text = yield* Effect.promise(async () => (await handle(new Request("http://127.0.0.1/inbox"))).text())
      assert.match(text, /^Outdial posts the events of your calls to this address.*page Webhook of the console/)
      assert.deepStrictEqual(printed, [])
      // Nothing signed it, and the account has no webhook.
      assert.strictEqual((yield* answer("POST")).status, 404)
    }).pipe(Effect.provide(TestEngine.layer())))

  it("is at its path, also with a query", () => {
    const at = (path: string) => Inbox.isFor(HttpServerRequest.fromWeb(new Request(`http://127.0.0.1${path}`)))
    assert.deepStrictEqual(["/inbox", "/inbox?x", "/inbox/x", "/inboxes", "/"].map(at), [
      true,
      true,
      false,
      false,
      false
    ])
  })
})
