import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "../support/Browser.ts"
import * as ConsoleServer from "../support/ConsoleServer.ts"

const numbers = Array.from({ length: 450 }, (_, n) => `+1415555${1000 + n}`)

const table = "document.querySelector('.data-table')"

it.live("reads a change of a long list once the reader is at its newest, from there on", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    yield* Effect.promise(() => server.engine.doNotCall.add(numbers))
    const page = yield* ConsoleServer.openPage(server, "do-not-call")
    const reads: Array<string> = []
    page.on("request", (request) => {
      if (request.url().includes("/v1/do_not_call?")) reads.push(request.url())
    })
    yield* Effect.promise(async () => {
      await page.locator("[aria-rowindex='2']").waitFor()
      await Browser.until(
        page,
        `(${table}.scrollTop = ${table}.scrollHeight, ${table}.getAttribute("aria-rowcount") === "451")`
      )
      reads.length = 0
      await server.engine.doNotCall.add(["+14155559999"])
      await page.evaluate(`${table}.scrollTop = 0`)
      await page.locator("[aria-rowindex='2']").getByText("9999").waitFor()
    })
    // One, and another if the list was read before the change. All pages would be five.
    assert.isBelow(reads.length, 3)
    assert.deepStrictEqual(Browser.complaints(page), [])
  }), 120_000)
