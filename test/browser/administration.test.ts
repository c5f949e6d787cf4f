import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"

/** A browser on a busy machine is slow. */
const timeout = 120_000

describe("do not call", () => {
  it.effect("adds numbers, finds one, imports a file and removes one", () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const page = yield* ConsoleServer.openPage(server, "do-not-call")
      const numbers = () =>
        Effect.promise(async () => (await server.engine.doNotCall.list()).items.map(({ phoneNumber }) => phoneNumber))
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add numbers" }).click()
        await page.getByLabel("Numbers", { exact: true }).fill("+14155550100\n+1 (415) 555-0101")
        await page.getByRole("button", { name: "Add 2 numbers" }).click()
        await page.getByRole("row", { name: /0101/ }).waitFor()
      })
      assert.sameMembers([...(yield* numbers())], ["+14155550100", "+14155550101"])
      yield* Effect.promise(async () => {
        await page.getByLabel("Is a number on the list?").fill("+14155550100")
        await page.getByRole("button", { name: "Search" }).click()
        await page.getByText("is on the list since").waitFor()
        await page.getByLabel("Is a number on the list?").fill("12")
        await page.getByRole("button", { name: "Search" }).click()
        await page.getByLabel("Is a number on the list?").and(page.locator("[aria-invalid=true]")).waitFor()
      })
      yield* isSound(page, "console-do-not-call")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Import a file" }).click()
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("button", { name: "Choose a file" }).click()
        ])
        const text = "phone\n+14155550102\n<img src=x onerror=alert(1)>\n"
        await chooser.setFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(text) })
        await page.getByRole("dialog").getByRole("button", { name: "Import a file" }).click()
        await page.getByText("1 new on the list").waitFor()
        await page.getByText("<img src=x").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).first().click()
        await page.getByRole("row", { name: /0102/ }).getByRole("button", { name: "Remove" }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
        await page.getByRole("row", { name: /0102/ }).waitFor({ state: "detached" })
      })
      assert.notInclude(yield* numbers(), "+14155550102")
    }), timeout)
})

describe("webhook", () => {
  it.effect("is set with its secret shown once, rotated and removed", () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const page = yield* ConsoleServer.openPage(server, "webhook")
      yield* Effect.promise(async () => {
        await page.getByLabel("Address").fill("https://example.com/hooks")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("shown only now").waitFor()
      })
      const set = yield* Effect.promise(() => server.engine.webhook.get())
      assert.strictEqual(set.url, "https://example.com/hooks")
      yield* isSound(page, "console-webhook")
      yield* Effect.promise(async () => {
        const secret = await page.getByRole("status").locator("code").textContent()
        assert.match(secret ?? "", /^whsec_/)
        await page.getByRole("button", { name: "Rotate the secret" }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: "Rotate the secret" }).click()
        await page.getByText("Previous secret ends").waitFor()
      })
      assert.notStrictEqual((yield* Effect.promise(() => server.engine.webhook.get())).secretHint, set.secretHint)
      const { id } = yield* Effect.promise(() =>
        server.engine.calls.start({
          agentId: server.agentId,
          phoneNumber: "+14155550110",
          contact: { name: "Grace" },
          variables: { day: "Tuesday" },
          test: true
        })
      )
      yield* Effect.promise(async () => {
        await page.getByRole("tab", { name: "Deliveries" }).click()
        await page.getByRole("row", { name: /call.completed/ }).getByRole("button", { name: "Details" }).click()
        await page.getByRole("link", { name: id }).waitFor()
        await page.getByRole("button", { name: "Send again", exact: true }).click()
        await page.getByText("The event is sent again").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).first().click()
      })
      yield* isSound(page, "console-deliveries")
      yield* Effect.promise(async () => {
        await page.getByRole("tab", { name: "Endpoint" }).click()
        await page.getByRole("button", { name: "Remove" }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
        await page.getByLabel("Address").waitFor()
      })
    }), timeout)
})

describe("keys, usage, accounts, sessions, audit log", () => {
  it.effect("creates and revokes a key, and every change is in the audit log", () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const page = yield* ConsoleServer.openPage(server, "keys")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Create a key" }).click()
        await page.getByLabel("Name").fill("<b>backend</b>")
        await page.getByRole("dialog").getByRole("button", { name: "Create a key" }).click()
        const shown = await page.getByRole("dialog").locator("code", { hasText: "vak_call_" }).textContent()
        assert.match(shown ?? "", /^vak_call_/)
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).first().click()
        await page.getByRole("row", { name: /<b>backend<\/b>/ }).waitFor()
      })
      yield* isSound(page, "console-keys")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Revoke" }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
        await page.getByText("Revoked", { exact: true }).waitFor()
      })
      const [key] = yield* Effect.promise(() => server.engine.keys.list())
      assert.isDefined(key?.revokedAt)
      for (const name of ["usage", "accounts", "sessions", "audit"]) {
        yield* Effect.promise(async () => {
          await page.goto(`${server.url}/console/${server.accountId}/${name}`)
          await page.getByRole("heading", { level: 1 }).waitFor()
          await page.locator("main .skeleton").first().waitFor({ state: "detached" })
        })
        yield* isSound(page, `console-${name}`)
      }
      const changes = yield* Effect.promise(() => page.getByRole("row").filter({ hasText: "Done" }).allInnerTexts())
      assert.match(changes[0] ?? "", /Grace[^]*keys\.revoke/)
      assert.match(changes[1] ?? "", /Grace[^]*keys\.create/)
    }), timeout)
})
