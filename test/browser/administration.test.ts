import { assert, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { Effect, Layer, Option } from "effect"
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { describe } from "vitest"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"
import * as Keyboard from "./support/Keyboard.ts"

/** A browser on a busy machine is slow. */
const timeout = 120_000

const hostile = "<img src=x onerror=alert(1)>"

const inDialog = (page: Page) => page.getByRole("dialog")

const downloaded = async (page: Page, button: string) => {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    Keyboard.press(page.getByRole("button", { name: button }))
  ])
  return readFile(await download.path(), "utf8")
}

/** A receiver of webhooks that answers with this status, and the ids of the events that it got. */
const receiver = () => {
  const state = { status: 200, got: [] as Array<string> }
  const transport = Layer.succeed(WebhookTransport.WebhookTransport, {
    send: ({ headers }) =>
      Effect.sync(() => {
        if (state.status === 200) state.got.push(headers["webhook-id"] ?? "")
        return { statusCode: state.status, retryAfter: Option.none() }
      }),
    refuses: () => Option.none()
  })
  return { state, transport }
}

describe("do not call", () => {
  it.effect("adds numbers, finds one, imports a file and removes one, by keyboard", () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const page = yield* ConsoleServer.openPage(server, "do-not-call")
      const numbers = () =>
        Effect.promise(async () => (await server.engine.doNotCall.list()).items.map(({ phoneNumber }) => phoneNumber))
      const asked = page.getByLabel("Is a number on the list?")
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Add numbers" }))
        await Keyboard.write(page.getByLabel("Numbers", { exact: true }), "+14155550100\n+1 (415) 555-0101")
        await Keyboard.press(page.getByRole("button", { name: "Add 2 numbers" }))
        await page.getByRole("row", { name: /0101/ }).waitFor()
      })
      assert.sameMembers([...(yield* numbers())], ["+14155550100", "+14155550101"])
      yield* Effect.promise(async () => {
        await Keyboard.write(asked, "+14155550100")
        await page.keyboard.press("Enter")
        await page.getByText("is on the list since").waitFor()
        await Keyboard.write(asked, "12")
        await page.keyboard.press("Enter")
        await asked.and(page.locator("[aria-invalid=true]")).waitFor()
      })
      yield* isSound(page, "console-do-not-call")
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Import a file" }))
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          Keyboard.press(page.getByRole("button", { name: "Choose a file" }))
        ])
        const text = `phone\n+14155550102\n${hostile}\n=cmd|' /C calc'!A1\n`
        await chooser.setFiles({ name: `${hostile}.csv`, mimeType: "text/csv", buffer: Buffer.from(text) })
        await page.getByText(`${hostile}.csv`).waitFor()
        await Keyboard.press(inDialog(page).getByRole("button", { name: "Import a file" }))
        await page.getByText("1 new on the list").waitFor()
        await page.getByText(hostile, { exact: false }).last().waitFor()
        assert.include(await downloaded(page, "Download these lines"), "'=cmd|' /C calc'!A1")
      })
      yield* isSound(page, "console-import")
      yield* Effect.promise(async () => {
        await Keyboard.press(inDialog(page).getByRole("button", { name: "Close" }).first())
        await Keyboard.press(page.getByRole("row", { name: /0102/ }).getByRole("button", { name: "Remove" }))
        await Keyboard.confirm(page, "Remove")
        await page.getByRole("row", { name: /0102/ }).waitFor({ state: "detached" })
        // The focus has not gone with the row.
        await Keyboard.reach(page.getByRole("button", { name: "Add numbers" }))
      })
      assert.sameMembers([...(yield* numbers())], ["+14155550100", "+14155550101"])
    }), timeout)
})

describe("webhook", () => {
  it.effect(
    "is set, tested, disabled, rotated and removed, and sends again what failed, by keyboard",
    () =>
      Effect.gen(function*() {
        const { state, transport } = receiver()
        const server = yield* ConsoleServer.open({ transport })
        const page = yield* ConsoleServer.openPage(server, "webhook")
        yield* Effect.promise(() => page.context().grantPermissions(["clipboard-read", "clipboard-write"]))
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        const row = (text: string | RegExp) =>
          page.getByRole("row", { name: "call.completed" }).filter({ hasText: text })
        const stored = Effect.promise(() => server.engine.webhook.get())
        yield* Effect.promise(async () => {
          await Keyboard.write(page.getByLabel("Address"), "https://example.com/hooks")
          await page.keyboard.press("Enter")
          await page.getByText("shown only now").waitFor()
          await Keyboard.press(button("Copy Signing secret"))
          await page.getByText("Signing secret copied").waitFor()
          assert.match(await page.evaluate("navigator.clipboard.readText()"), /^whsec_/)
        })
        const set = yield* stored
        assert.deepStrictEqual([set.url, set.events], ["https://example.com/hooks", [
          "call.completed",
          "call.not_connected"
        ]])
        yield* isSound(page, "console-webhook")
        yield* Effect.promise(async () => {
          await Keyboard.press(button("Close").first())
          await Keyboard.press(button("Rotate the secret"))
          await Keyboard.confirm(page, "Rotate the secret")
          await page.getByText("Previous secret ends").waitFor()

          await Keyboard.press(button("Edit"))
          const address = inDialog(page).getByLabel("Address")
          await Keyboard.write(address, `https://example.com/${hostile}`)
          await Keyboard.press(page.getByRole("checkbox", { name: /call.not_connected/ }), "Space")
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Save" }))
          // The field that is wrong is focused.
          await address.and(page.locator(":focus")).waitFor()
          await Keyboard.write(address, "https://example.com/?%3Cb%3E")
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Save" }))
          await inDialog(page).waitFor({ state: "detached" })

          state.status = 503
          await Keyboard.press(button("Send a test event"))
          await page.getByText("The receiver answered 503").waitFor()
          state.status = 200
          await Keyboard.press(button("Send a test event"))
          await page.getByText("The receiver answered 200").waitFor()
        })
        const edited = yield* stored
        assert.notStrictEqual(edited.secretHint, set.secretHint)
        assert.deepStrictEqual([edited.url, edited.events], ["https://example.com/?%3Cb%3E", ["call.completed"]])

        const talks = (phoneNumber: string) =>
          Effect.promise(() =>
            server.engine.calls.start({
              agentId: server.agentId,
              phoneNumber,
              contact: { name: "Grace" },
              variables: { day: "Tuesday" },
              test: true
            })
          )
        // One event fails, and another is held while the webhook is disabled.
        state.status = 500
        state.got = []
        const { id } = yield* talks("+14155550110")
        yield* Effect.promise(async () => {
          await Keyboard.press(page.getByRole("tab", { name: "Deliveries" }))
          await Keyboard.press(
            row(/Pending.*1Details/).getByRole("button", { name: "Details" })
          )
          await page.getByRole("link", { name: id }).waitFor()
          await inDialog(page).getByText("500").waitFor()
        })
        yield* isSound(page, "console-delivery")
        yield* Effect.promise(async () => {
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Close" }).first())
          await Keyboard.press(page.getByRole("tab", { name: "Endpoint" }))
          await Keyboard.press(button("Disable"))
          await Keyboard.confirm(page, "Disable")
          await page.getByText("The webhook is disabled").waitFor()
        })
        assert.isFalse((yield* stored).enabled)
        yield* talks("+14155550111")
        yield* Effect.promise(async () => {
          await Keyboard.press(page.getByRole("tab", { name: "Deliveries" }))
          await Keyboard.choose(page.getByRole("button", { name: "State" }), "Held")
          await page.waitForURL("**/webhook?state=held")
          await row("Held").nth(1).waitFor()
          await Keyboard.choose(page.getByRole("button", { name: "State" }), "All states")
          await Keyboard.press(page.getByRole("tab", { name: "Endpoint" }))
          await Keyboard.press(button("Enable"))
          await page.getByText("The webhook is disabled").waitFor({ state: "detached" })
        })
        assert.isTrue((yield* stored).enabled)

        // Without a webhook both are dropped; the next one gets them because it is asked for.
        yield* Effect.promise(async () => {
          await Keyboard.press(button("Remove"))
          await Keyboard.confirm(page, "Remove")
          await page.getByLabel("Address").waitFor()
          const code = await server.engine.webhook.get().then(() => "found", (error: { code?: string }) => error.code)
          assert.strictEqual(code, "not_found")
          await Keyboard.press(page.getByRole("tab", { name: "Deliveries" }))
          await row("Dropped").nth(1).waitFor()
          await Keyboard.press(page.getByRole("tab", { name: "Endpoint" }))
          state.status = 200
          await Keyboard.write(page.getByLabel("Address"), "https://example.com/new")
          await Keyboard.press(button("Save"))
          await page.getByText("shown only now").waitFor()
          await Keyboard.press(page.getByRole("tab", { name: "Deliveries" }))
          await Keyboard.press(button("Resend failed events"))
          await Keyboard.choose(button("The last 24 hours Since"), "The last hour")
          await Keyboard.confirm(page, "Resend failed events")
          await page.getByText("2 events will be sent again").waitFor()
          await row("Delivered").nth(1).waitFor()
        })
        yield* isSound(page, "console-deliveries")
        assert.deepStrictEqual([state.got.length, new Set(state.got).size], [2, 2])
        yield* Effect.promise(async () => {
          await Keyboard.press(row("Delivered").first().getByRole("button", { name: "Details" }))
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Send again", exact: true }))
          await inDialog(page).getByText("Sent again").waitFor()
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Close" }).first())
        })
        assert.deepStrictEqual([state.got.length, new Set(state.got).size], [3, 2])
      }),
    timeout
  )
})

describe("keys, usage, accounts, sessions, audit log", () => {
  it.effect(
    "changes keys and accounts by keyboard, and every change is in the audit log",
    () =>
      Effect.gen(function*() {
        const server = yield* ConsoleServer.open()
        const page = yield* ConsoleServer.openPage(server, "keys")
        const follow = (name: string) =>
          Effect.promise(async () => {
            await Keyboard.press(page.getByRole("navigation").getByRole("link", { name, exact: true }))
            await page.getByRole("heading", { level: 1, name }).waitFor()
            await page.locator("main .skeleton").first().waitFor({ state: "detached" })
            // Screen readers hear the page, and the keyboard continues in it.
            assert.strictEqual(await page.evaluate("document.activeElement.tagName"), "H1")
          })
        const shown = yield* Effect.promise(async () => {
          await Keyboard.press(page.getByRole("button", { name: "Create a key" }))
          await Keyboard.write(page.getByLabel("Name"), `${hostile}\u202Ekey`)
          await Keyboard.press(page.getByRole("checkbox", { name: /Start and cancel calls/ }), "Space")
          await Keyboard.choose(inDialog(page).getByRole("button", { name: "Expires after" }), "30 days")
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Create a key" }))
          return inDialog(page).locator("code", { hasText: "vak_call_" }).textContent()
        })
        assert.match(shown ?? "", /^vak_call_/)
        const [created] = yield* Effect.promise(() => server.engine.keys.list())
        assert.deepStrictEqual([created?.name, created?.scopes], [`${hostile}\u202Ekey`, ["calls:read"]])
        assert.approximately(Number(created?.expiresAt), Date.now() + 30 * 86_400_000, 3_600_000)
        yield* isSound(page, "console-new-key")
        yield* Effect.promise(async () => {
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Close" }).first())
          await page.getByRole("row", { name: hostile }).waitFor()
        })
        yield* Effect.promise(async () => {
          await Keyboard.press(page.getByRole("button", { name: "Revoke" }))
          await Keyboard.confirm(page, "Revoke")
          await page.getByText("Revoked", { exact: true }).waitFor()
        })
        const [key] = yield* Effect.promise(() => server.engine.keys.list())
        assert.isDefined(key?.revokedAt)

        yield* follow("Usage")
        yield* Effect.promise(async () => {
          await Keyboard.choose(page.getByRole("button", { name: "Range" }), "Last 7 days")
          await page.waitForURL("**/usage?days=7")
          const lines = (await downloaded(page, "Download as CSV")).trim().split("\r\n")
          assert.strictEqual(lines[0], "day,calls_placed,seconds_talked,costs")
          assert.strictEqual(lines.length, 8)
        })

        yield* follow("Accounts")
        const accounts = Effect.promise(() => server.engine.accounts.list())
        yield* Effect.promise(async () => {
          await Keyboard.press(page.getByRole("button", { name: "Create an account" }))
          await Keyboard.write(inDialog(page).getByLabel("Name"), hostile)
          await Keyboard.write(inDialog(page).getByLabel("Lines"), "7")
          await page.keyboard.press("Enter")
          await page.getByRole("row", { name: hostile }).waitFor()
        })
        const [, other] = yield* accounts
        assert.deepStrictEqual([other?.name, other?.lines], [hostile, 7])
        yield* Effect.promise(async () => {
          const row = page.getByRole("row", { name: hostile })
          await Keyboard.press(row.getByRole("button", { name: "Edit" }))
          await Keyboard.write(inDialog(page).getByLabel("Lines"), "9")
          await Keyboard.press(inDialog(page).getByRole("button", { name: "Save" }))
          await row.getByRole("cell", { name: "9", exact: true }).waitFor()
          await Keyboard.press(row.getByRole("button", { name: "Pause" }))
          await Keyboard.confirm(page, "Pause")
          await row.getByText("Paused").waitFor()
        })
        assert.deepStrictEqual([(yield* accounts)[1]?.lines, (yield* accounts)[1]?.paused], [9, true])
        yield* isSound(page, "console-accounts")
        yield* Effect.promise(async () => {
          await Keyboard.press(page.getByRole("row", { name: hostile }).getByRole("button", { name: "Resume" }))
          await Keyboard.confirm(page, "Resume")
          await page.getByText("Paused").waitFor({ state: "detached" })
        })
        assert.isFalse((yield* accounts)[1]?.paused)

        yield* follow("Sessions")
        yield* follow("Audit log")
        const changes = yield* Effect.promise(() => page.getByRole("row").filter({ hasText: "Done" }).allInnerTexts())
        const actions = changes.map((text) => text.trim().split("\n")[0])
        assert.deepStrictEqual(actions, [
          "Resumed the account",
          "Paused the account",
          "Changed the account",
          "Created an account",
          "Revoked an API key",
          "Created an API key",
          "Signed in by a link"
        ])
        assert.isTrue(changes.every((text) => text.includes("Grace")))

        // By the keyboard to another account, and out.
        yield* Effect.promise(async () => {
          await Keyboard.reach(page.getByRole("combobox", { name: "Account" }))
          await page.keyboard.type("<img")
          await page.waitForURL(`**/console/${other?.id}/now`)
          await Keyboard.press(page.getByRole("button", { name: "Sign out" }))
          await page.getByRole("heading", { name: "Your session has ended" }).waitFor()
          await page.goto(`${server.url}/console/${server.accountId}/now`)
          await page.getByRole("heading", { name: "Your session has ended" }).waitFor()
        })
        assert.deepStrictEqual(Browser.complaints(page), [])
      }),
    timeout
  )
})
