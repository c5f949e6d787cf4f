import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"

/** A browser on a busy machine is slow. */
const timeout = 120_000

it.effect(
  "signs out a browser whose session was ended in another, and refuses a link that was used",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const [thief, admin] = [yield* Browser.page(), yield* Browser.page()]
      const address = yield* ConsoleServer.link(server, { name: "Mallory" })
      yield* Effect.promise(async () => {
        await thief.goto(address)
        await thief.getByRole("button", { name: "Open the console" }).click()
        await thief.waitForURL("**/now")
      })
      yield* ConsoleServer.signIn(server, admin)
      const cookies = yield* Effect.promise(() => thief.context().cookies())
      yield* Effect.promise(async () => {
        await admin.goto(`${server.url}/console/${server.accountId}/sessions`)
        await admin.getByRole("row").filter({ hasText: "Mallory" }).getByRole("button", { name: "End" }).click()
        await admin.getByRole("alertdialog").getByRole("button", { name: "End" }).click()
        await admin.getByRole("row").filter({ hasText: "Mallory" }).waitFor({ state: "detached" })
        // The open stream of the other browser ends, and its page says so without being reloaded.
        await thief.getByRole("heading", { name: "Your session has ended" }).waitFor({ timeout: 60_000 })
      })
      // The stolen cookie is worth nothing any more, and neither is the link.
      const stolen = yield* Browser.page()
      yield* Effect.promise(async () => {
        await stolen.context().addCookies(cookies)
        await stolen.goto(`${server.url}/console/${server.accountId}/calls`)
        await stolen.getByRole("heading", { name: "Your session has ended" }).waitFor()
        await stolen.goto(address)
        await stolen.getByRole("button", { name: "Open the console" }).click()
        await stolen.getByRole("heading", { name: "This link no longer works" }).waitFor()
      })
      assert.deepStrictEqual(yield* Browser.accessibilityProblems(stolen), [])
    }),
  timeout
)

it.effect(
  "says that the server is gone, and shows what happened meanwhile once it is back",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const page = yield* ConsoleServer.openPage(server, "calls")
      const lost = page.locator(".banner")
      yield* Effect.promise(() => page.getByText("Live", { exact: true }).waitFor())
      yield* server.kill
      yield* Effect.promise(() => lost.waitFor())
      yield* Effect.promise(() =>
        server.engine.calls.start({
          agentId: server.agentId,
          phoneNumber: "+14155550101",
          contact: { name: "Ada Lovelace" },
          variables: { day: "Tuesday" },
          test: true
        })
      )
      yield* server.restart
      yield* Effect.promise(async () => {
        await page.getByText("Ada Lovelace").waitFor({ timeout: 60_000 })
        await lost.waitFor({ state: "detached", timeout: 60_000 })
      })
    }),
  timeout
)
