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
  "lets a viewer in by a link that an admin makes on the page, once, and withdraws another",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      yield* Effect.promise(() =>
        server.engine.calls.start({
          agentId: server.agentId,
          phoneNumber: "+14155550137",
          contact: { name: "Ada Lovelace" },
          variables: { day: "Tuesday" }
        })
      )
      const admin = yield* ConsoleServer.openPage(server, "sessions")
      yield* Browser.picture(admin, "console-sessions")
      const create = Effect.fnUntraced(function*(name: string) {
        return yield* Effect.promise(async () => {
          await admin.getByRole("button", { name: "Create a link" }).first().click()
          const dialog = admin.getByRole("dialog")
          await dialog.getByRole("textbox", { name: "Name" }).fill(name)
          await dialog.getByRole("button", { name: "Create a link" }).click()
          const address = await dialog.locator(".copy-id code").textContent()
          return address ?? ""
        })
      })
      const close = Effect.promise(() =>
        admin.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
      )
      const address = yield* create("<b>Grace</b>")
      assert.match(address, new RegExp(`^${server.url}/console/link#[0-9A-Za-z]{43}$`))
      yield* Browser.picture(admin, "console-link")
      assert.deepStrictEqual(yield* Browser.accessibilityProblems(admin), [])
      yield* close
      const withdrawn = yield* create("Mallory")
      yield* close
      const unused = admin.getByRole("region", { name: "Links that have not been opened" })
      yield* Effect.promise(async () => {
        await unused.getByRole("row").filter({ hasText: "<b>Grace</b>" }).waitFor()
        const row = unused.getByRole("row").filter({ hasText: "Mallory" })
        await row.getByRole("button", { name: "Withdraw" }).click()
        await admin.getByRole("alertdialog").getByRole("button", { name: "Withdraw" }).click()
        await row.waitFor({ state: "detached" })
      })
      yield* Browser.picture(admin, "console-links")
      assert.deepStrictEqual(yield* Browser.accessibilityProblems(admin), [])
      assert.deepStrictEqual(Browser.complaints(admin), [])

      const viewer = yield* Browser.page()
      const open = (page: typeof viewer, at: string) =>
        Effect.promise(async () => {
          await page.goto(at)
          await page.getByRole("button", { name: "Open the console" }).click()
        })
      yield* open(viewer, address)
      yield* Effect.promise(async () => {
        await viewer.waitForURL("**/now")
        await viewer.goto(`${server.url}/console/${server.accountId}/calls`)
        await viewer.getByText("Ada Lovelace").waitFor()
        assert.notInclude(await viewer.content(), "5550137")
        await viewer.getByText("+14…37").waitFor()
        await viewer.goto(`${server.url}/console/${server.accountId}/sessions`)
        await viewer.getByText("Administrators see the sessions.").waitFor()
        // The texts offer nothing that the role may not do.
        await viewer.goto(`${server.url}/console/${server.accountId}/calls?status=expired`)
        await viewer.getByText("External ids and call ids are found when they are typed whole.").waitFor()
        await viewer.goto(`${server.url}/console/${server.accountId}/batches`)
        await viewer.getByText("A batch calls many contacts with one agent.", { exact: true }).waitFor()
        assert.strictEqual(await viewer.getByRole("button", { name: "Create a link" }).count(), 0)
      })
      const late = yield* Browser.page()
      for (const dead of [address, withdrawn]) {
        // Another address of the same page is no new page.
        yield* Effect.promise(() => late.goto("about:blank"))
        yield* open(late, dead)
        yield* Effect.promise(() => late.getByRole("heading", { name: "This link no longer works" }).waitFor())
      }
      yield* Effect.promise(async () => {
        await admin.reload()
        await admin.getByRole("table", { name: "Sessions" }).getByRole("row").filter({ hasText: "<b>Grace</b>" })
          .getByText("Viewer").waitFor()
        assert.strictEqual(await unused.count(), 0)
      })
    }),
  timeout
)

it.effect(
  "says that the server is gone, as of when it knows what it shows, and what happened meanwhile once it is back",
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
      // A page whose parts were not loaded before the loss opens by itself, too.
      yield* server.kill
      yield* Effect.promise(async () => {
        await lost.waitFor()
        await page.getByRole("link", { name: "Now", exact: true }).first().click()
        await page.getByRole("heading", { name: "This page cannot be opened now" }).waitFor()
        assert.notInclude(await page.locator("main").innerText(), "http")
      })
      yield* server.restart
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Now", exact: true }).waitFor({ timeout: 60_000 })
        await page.getByText("Live", { exact: true }).waitFor({ timeout: 60_000 })
        await page.locator(".standing").waitFor()
      })
      // What was known before a loss is not shown as what is.
      yield* server.kill
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: /^As of / }).waitFor()
        await lost.getByText("The server does not answer.").waitFor()
      })
    }),
  timeout
)
