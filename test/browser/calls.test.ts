import { assert, it } from "@effect/vitest"
import { Accounts, Carriers, Ids, WebhookTransport } from "@outdial/core"
import { Effect, Layer, Option } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import * as Keyboard from "./support/Keyboard.ts"

/** Text that would break a page which took it for markup, for a word of ordinary length, or for text of its own direction. */
const hostile = `<img src=x onerror="document.title='broken'">\u202Egnp.exe ${"W".repeat(150)}`

/** A browser on a busy machine is slow. */
const timeout = 120_000

/** Calls wait until then. */
const nextMonth = new Date(Date.now() + 30 * 86_400_000)

const isIdle = async (page: Page) => {
  await page.getByRole("status").filter({ hasText: /Loading/ }).waitFor({ state: "detached" })
}

/** What axe finds, and whether the page is wider than its window. */
const problemsOf = (page: Page) =>
  Effect.gen(function*() {
    yield* Effect.promise(() => isIdle(page))
    const found = yield* Browser.accessibilityProblems(page)
    const isTooWide = yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth > innerWidth"))
    return [...found, ...isTooWide === true ? ["wider than the window"] : []]
  })

const start = (server: ConsoleServer.ConsoleServer, phoneNumber: string, more: object = {}) =>
  Effect.promise(() =>
    server.engine.calls.start({ agentId: server.agentId, phoneNumber, variables: { day: "Tuesday" }, ...more })
  )

it.effect("runs the demo campaign and follows its calls", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    const page = yield* ConsoleServer.openPage(server, "now")
    yield* Effect.promise(async () => {
      await page.getByRole("heading", { name: "Ready: no calls wait" }).waitFor()
      await Keyboard.press(page.getByRole("button", { name: "Start the demo campaign" }))
      await page.getByText("20 calls queued").waitFor()
      await page.getByText("Completed", { exact: true }).first().waitFor()
    })
    const { items } = yield* Effect.promise(() => server.engine.calls.list({ limit: 100 }))
    assert.strictEqual(items.length, 20)
    yield* Browser.picture(page, "console-now")
    assert.deepStrictEqual(yield* problemsOf(page), [])
    assert.deepStrictEqual(Browser.complaints(page), [])
  }), timeout)

it.effect("stops all calling and resumes it", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    const page = yield* ConsoleServer.openPage(server, "now")
    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("button", { name: "Emergency stop" }))
      await Keyboard.confirm(page, "Stop all calling")
      await page.getByRole("heading", { name: "Emergency stop: no calls go out" }).waitFor()
      assert.isTrue(await server.engine.allPaused())
    })
    yield* start(server, "+14155550100")
    const paused = Effect.promise(async () => (await server.engine.accounts.list())[0]?.paused)
    yield* Effect.promise(async () => {
      await page.getByText("Account is paused").first().waitFor()
      await Keyboard.press(page.getByRole("button", { name: "Pause this account" }))
      await Keyboard.confirm(page, "Pause this account")
      await page.getByRole("button", { name: "Resume this account" }).waitFor()
    })
    assert.isTrue(yield* paused)
    yield* Effect.promise(async () => {
      // Other pages say it, and lead here.
      await Keyboard.press(page.getByRole("navigation").getByRole("link", { name: "Calls", exact: true }))
      await page.getByRole("heading", { level: 1, name: "Calls" }).waitFor()
      await Keyboard.press(page.locator(".banner").getByRole("link"))
      await Keyboard.press(page.getByRole("button", { name: "Resume all accounts" }))
      await Keyboard.confirm(page, "Resume all accounts")
      await Keyboard.press(page.getByRole("button", { name: "Resume this account" }))
      await Keyboard.confirm(page, "Resume this account")
      await page.getByText("Completed", { exact: true }).first().waitFor()
    })
    assert.deepStrictEqual([yield* paused, yield* Effect.promise(() => server.engine.allPaused())], [false, false])
    assert.deepStrictEqual(Browser.complaints(page), [])
  }), timeout)

it.effect(
  "starts a call after its rules were checked, and shows the outcome with the words it rests on",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const page = yield* ConsoleServer.openPage(server, "calls")
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Start a call" }))
        const dialog = page.getByRole("dialog")
        await Keyboard.write(dialog.getByLabel("Number"), "+1415")
        await Keyboard.write(dialog.getByLabel("Name of the contact"), hostile)
        await Keyboard.write(dialog.getByLabel("External id"), hostile.slice(0, 60))
        await Keyboard.write(dialog.getByLabel("day"), "Tuesday")
        await Keyboard.press(dialog.getByRole("button", { name: "Check the rules" }))
        await dialog.getByText(/phone_number must be/).waitFor()
        await dialog.getByLabel("Number").and(page.locator(":focus")).waitFor()
        await Keyboard.write(dialog.getByLabel("Number"), "+1 415 555 0101")
        await Keyboard.press(dialog.getByRole("button", { name: "Check the rules" }))
        await dialog.getByText("The phone would ring now").waitFor()
        await Keyboard.press(dialog.getByRole("button", { name: "Back" }))
        await Keyboard.press(dialog.getByRole("button", { name: "Check the rules" }))
        await Keyboard.press(dialog.getByRole("button", { name: "Start the call" }))
        await page.waitForURL("**/calls/call_*")
        await Keyboard.press(page.getByRole("button", { name: /Rests on/ }).first())
        await page.locator("mark").waitFor()
      })
      const focused = yield* Effect.promise(() => page.evaluate("document.activeElement.textContent"))
      assert.include(String(focused), yield* Effect.promise(() => page.locator("mark").innerText()))
      assert.deepStrictEqual(yield* problemsOf(page), [])
      assert.match(yield* Effect.promise(() => page.title()), /^Call to /)
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  timeout
)

it.effect("plays the recording in step with the transcript, and sends an event again", () =>
  Effect.gen(function*() {
    const received: Array<string> = []
    const transport = Layer.succeed(WebhookTransport.WebhookTransport, {
      send: ({ headers }) =>
        Effect.sync(() => {
          received.push(headers["webhook-id"] ?? "")
          return { statusCode: 200, retryAfter: Option.none() }
        }),
      refuses: () => Option.none()
    })
    const server = yield* ConsoleServer.open({ transport })
    yield* Effect.promise(() => server.engine.webhook.set({ url: "https://example.com/hooks" }))
    const { id } = yield* start(server, "+14155550101", { contact: { name: "Ada Lovelace" } })
    const page = yield* ConsoleServer.openPage(server, `calls/${id}`)
    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("button", { name: /^Play from/ }).nth(1))
      await page.locator(".turn.heard").waitFor()
      await Keyboard.press(page.getByRole("slider", { name: "Position in the recording" }), "End")
      await page.locator(".turn").last().and(page.locator(".heard")).waitFor()
      await page.getByText("Delivered", { exact: true }).waitFor()
      await Keyboard.press(page.locator(".event").getByRole("button", { name: "Send again" }))
      await page.locator(".event").getByText(/sent again/).first().waitFor()
    })
    assert.deepStrictEqual([received.length, new Set(received).size], [2, 1])
    // Before axe, which reads the waveform's styles in a way that the content security policy refuses.
    assert.deepStrictEqual(Browser.complaints(page), [])
    yield* Browser.picture(page, "console-call")
    assert.deepStrictEqual(yield* problemsOf(page), [])
  }), timeout)

it.effect("shows what has held a call, and then its dial", () =>
  Effect.gen(function*() {
    const policy = { callingHours: null, recallGapSeconds: 3600 }
    const server = yield* ConsoleServer.open({ policy })
    const first = yield* start(server, "+14155550101")
    const page = yield* ConsoleServer.openPage(server, `calls/${first.id}`)
    const timeline = page.getByRole("region", { name: "Timeline" }).getByRole("listitem")
    yield* Effect.promise(() => timeline.filter({ hasText: "Completed" }).waitFor())
    const again = yield* start(server, "+14155550101")
    const accounts = yield* Effect.provideContext(Accounts.Accounts, server.engine.services)
    yield* Effect.promise(async () => {
      await page.goto(`${server.url}/console/${server.accountId}/calls/${again.id}`)
      await timeline.filter({ hasText: "Held now" }).filter({ hasText: "Number called a short while ago, until" })
        .waitFor()
    })
    yield* accounts.set(Ids.AccountId.make(server.accountId), { policy: { ...policy, recallGapSeconds: 0 } })
    yield* Effect.promise(() => timeline.filter({ hasText: "Completed" }).waitFor())
    const steps = yield* Effect.promise(() => timeline.allInnerTexts())
    assert.deepStrictEqual(steps.map((step) => step.split("\n")[0]).slice(0, 3), ["Accepted", "Held", "Dialed"])
    assert.include(steps[1], "Number called a short while ago, until")
    const rules = page.getByRole("region", { name: "Calling rules at its dial" }).getByRole("row")
    yield* Effect.promise(() =>
      rules.filter({ hasText: "Lines" }).filter({ hasText: "Allowed" }).filter({ hasText: "Lines in use: 0" }).waitFor()
    )
    assert.deepStrictEqual(yield* problemsOf(page), [])
    assert.deepStrictEqual(Browser.complaints(page), [])
  }), timeout)

it.effect("resumes a paused carrier, and hangs up a call that is live", () =>
  Effect.gen(function*() {
    // Long enough for a slow browser: each question takes a second or two.
    const questions = Array.from({ length: 50 }, (_, index) => `Is ${index} a number?`)
    const server = yield* ConsoleServer.open({ agents: [{ ...ConsoleServer.agent, questions }], speed: 4 })
    const carriers = yield* Effect.provideContext(Carriers.Carriers, server.engine.services)
    const [carrier] = yield* carriers.list
    if (carrier === undefined) return assert.fail("There is no carrier")
    yield* carriers.pause(carrier.name)
    const { id } = yield* start(server, "+14155550101")
    const page = yield* ConsoleServer.openPage(server, "now", { role: "operator" })
    yield* Effect.promise(async () => {
      await page.getByRole("heading", { name: "The carrier is paused" }).waitFor()
      await Keyboard.press(page.getByRole("button", { name: "Resume", exact: true }))
      await Keyboard.confirm(page, "Resume")
      await page.getByText("dials again").waitFor()
      await Keyboard.press(page.getByRole("row").filter({ hasText: "In progress" }).getByRole("link"))
      await page.locator("[data-turn]").nth(1).waitFor()
    })
    assert.isUndefined((yield* carriers.list).find(({ pause }) => pause !== undefined))
    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("button", { name: "Hang up" }))
      await page.getByRole("alertdialog").getByText("What was said is kept").waitFor()
      await Keyboard.confirm(page, "Hang up")
      await page.getByText("Completed", { exact: true }).first().waitFor()
      assert.isAtLeast(await page.locator("[data-turn]").count(), 2)
    })
    const { status } = yield* Effect.promise(() => server.engine.calls.get(id))
    assert.strictEqual(status, "completed")
    assert.deepStrictEqual(Browser.complaints(page), [])
  }), timeout)

it.effect("cancels a waiting call, whose rules are shown", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    const { id } = yield* start(server, "+14155550101", { notBefore: nextMonth })
    const page = yield* ConsoleServer.openPage(server, `calls/${id}`, { viewport: { width: 360, height: 740 } })
    yield* Effect.promise(() => page.getByRole("rowheader", { name: "Requested time" }).waitFor())
    assert.deepStrictEqual(yield* problemsOf(page), [])
    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("button", { name: "Cancel the call" }))
      await Keyboard.confirm(page, "Cancel the call")
      await page.getByText("The call was canceled", { exact: true }).waitFor()
    })
    const { status } = yield* Effect.promise(() => server.engine.calls.get(id))
    assert.strictEqual(status, "canceled")
    assert.deepStrictEqual(Browser.complaints(page), [])
  }), timeout)

it.effect(
  "filters calls by the address, opens one by the keyboard, and returns to the same place",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) =>
          start(server, `+14155551${100 + index}`, {
            contact: { externalId: `crm-${index}` },
            notBefore: nextMonth
          })
      )
      const page = yield* ConsoleServer.openPage(server, "calls?q=crm-7", { colorScheme: "dark" })
      yield* Effect.promise(() => page.getByRole("rowheader").first().waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("rowheader").count()), 1)
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Clear filters" }))
        await page.getByRole("row").nth(9).waitFor()
        await Keyboard.choose(page.getByRole("button", { name: "Status" }), "Canceled")
        await page.keyboard.press("Escape")
        await page.waitForURL("**/calls?status=canceled")
        await Keyboard.choose(page.getByRole("button", { name: "Agent" }), "Ada")
        await Keyboard.choose(page.getByRole("button", { name: "Created" }), "Last hour")
        await page.getByRole("heading", { name: "No calls match" }).waitFor()
        await Keyboard.press(page.getByRole("button", { name: "Clear filters" }).first())
        await page.getByRole("row").nth(9).waitFor()
        await Keyboard.write(page.getByRole("searchbox"), "crm-39")
        await page.keyboard.press("Enter")
        await page.waitForURL("**/calls?q=crm-39")
        await Keyboard.write(page.getByRole("searchbox"), "")
        await page.getByRole("row").nth(9).waitFor()
        await page.getByRole("row").nth(1).focus()
        await page.keyboard.press("ArrowDown")
        await page.locator("[aria-rowindex='3']:focus").waitFor()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("PageDown")
        await page.getByRole("rowheader").and(page.locator(":focus")).waitFor()
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("Home")
        await page.locator("[aria-rowindex='2']:focus").waitFor()
        await page.keyboard.press("End")
      })
      const scrollTop = () => Effect.promise(() => page.evaluate("document.querySelector('.data-table').scrollTop"))
      const before = yield* scrollTop()
      assert.isAbove(Number(before), 0)
      yield* Effect.promise(async () => {
        await page.keyboard.press("Enter")
        await page.waitForURL("**/calls/call_*")
        await page.goBack()
        await Browser.until(page, `document.querySelector(".data-table")?.scrollTop === ${Number(before)}`)
      })
      assert.deepStrictEqual(yield* problemsOf(page), [])
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  timeout
)

/** The row of the focus, and whether all of it is seen: in the window, and not below the bar at its top. */
const focusedRow = (page: Page) =>
  page.evaluate<{ readonly row: string | null; readonly cell: number; readonly isSeen: boolean }>(`(() => {
    const active = document.activeElement
    const row = active.closest("[role=row]")
    const { bottom, top } = active.getBoundingClientRect()
    return {
      row: row?.getAttribute("aria-rowindex") ?? null,
      cell: row === null || row === active ? -1 : [...row.children].findIndex((cell) => cell.contains(active)),
      isSeen: top >= document.querySelector(".top-bar").getBoundingClientRect().bottom && bottom <= innerHeight
    }
  })()`)

it.effect(
  "keeps the focus in view and its place in the table in a small window, opens tabs, and lets text be selected",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      for (let index = 0; index < 40; index++) {
        yield* start(server, `+14155551${100 + index}`, { contact: { name: `Ada ${index}` }, notBefore: nextMonth })
      }
      const page = yield* ConsoleServer.openPage(server, "calls?status=canceled", {
        viewport: { width: 640, height: 400 }
      })
      const { keyboard, mouse } = page
      const press = async (...keys: ReadonlyArray<string>) => {
        for (const key of keys) await keyboard.press(key)
        return focusedRow(page)
      }
      const popup = async (act: () => Promise<unknown>) => {
        const [opened] = await Promise.all([page.context().waitForEvent("page"), act()])
        await opened.waitForURL("**/calls/call_*")
        await opened.close()
      }
      yield* Effect.promise(async () => {
        // Buttons of an empty table are reached, and the table shows its own focus.
        const clear = page.getByRole("grid").getByRole("button", { name: "Clear filters" })
        await Keyboard.reach(clear)
        await page.getByRole("grid").focus()
        assert.strictEqual(
          await page.evaluate("getComputedStyle(document.querySelector('.table-frame')).outlineStyle"),
          "solid"
        )
        await Keyboard.press(clear)
        await page.locator("[aria-rowindex='2']:focus").waitFor()

        await page.evaluate("scrollTo(0, 0)")
        assert.deepStrictEqual(await press("ArrowDown"), { row: "3", cell: -1, isSeen: true })
        assert.deepStrictEqual(await press("ArrowUp", "ArrowUp"), { row: "2", cell: -1, isSeen: true })
        assert.deepStrictEqual(await press("ArrowLeft"), { row: "2", cell: -1, isSeen: true })
        assert.deepStrictEqual(await press("End"), { row: "41", cell: -1, isSeen: true })
        assert.deepStrictEqual(await press("ArrowRight", "End", "ArrowRight"), { row: "41", cell: 1, isSeen: true })
        assert.deepStrictEqual(await press("Home"), { row: "41", cell: 0, isSeen: true })
        assert.deepStrictEqual(await press("Control+Home"), { row: "2", cell: 0, isSeen: true })
        assert.deepStrictEqual(await press("Control+End"), { row: "41", cell: 1, isSeen: true })
        await popup(() => keyboard.press("Control+Enter"))

        // Others come before it, out of view, and the way leads back to it.
        await server.engine.calls.start({
          agentId: server.agentId,
          phoneNumber: "+14155551199",
          variables: { day: "" }
        })
        await page.evaluate("document.querySelector('.data-table').scrollTop = 0")
        await page.getByText("+1 415 555 1199").waitFor()
        const place = await focusedRow(page)
        assert.deepStrictEqual([place.row, place.cell], ["42", 1])
        await press("Enter")
        await page.waitForURL("**/calls/call_*")
        await page.goBack()
        await page.getByRole("row").nth(3).waitFor()
        await keyboard.press("Shift+Tab")
        for (let keys = 0; keys < 30 && (await focusedRow(page)).row === null; keys++) await keyboard.press("Tab")
        assert.deepStrictEqual(await focusedRow(page), { ...place, isSeen: true })
      })

      yield* Effect.promise(async () => {
        const pages = page.url()
        const selection = () => page.evaluate("String(getSelection())")
        const number = await page.getByText("+1 415 555 1100").boundingBox()
        if (number === null) return assert.fail("The number is not seen")
        const middle = number.y + number.height / 2
        await mouse.move(number.x + 1, middle)
        await mouse.down()
        await mouse.move(number.x + number.width / 2, middle)
        await mouse.move(number.x + number.width - 1, middle)
        await mouse.up()
        assert.match(String(await selection()), /415\s555/)
        // Two clicks without the time between them, which depends on the machine.
        await page.evaluate(`(() => {
          const name = [...document.querySelectorAll(".table-body *")].find((one) => one.textContent === "Ada 0")
          const click = (detail) => name.dispatchEvent(new MouseEvent("click", { bubbles: true, detail }))
          getSelection().removeAllRanges()
          click(1)
          getSelection().selectAllChildren(name)
          click(2)
        })()`)
        await popup(() => page.getByText("Ada 1", { exact: true }).click({ button: "middle" }))
        assert.strictEqual(page.url(), pages)
      })
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  timeout
)

it.effect("shows a viewer masked numbers and no action", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    yield* start(server, "+14155550101", { notBefore: nextMonth })
    const page = yield* ConsoleServer.openPage(server, "calls", { role: "viewer" })
    yield* Effect.promise(() => page.getByRole("rowheader").first().waitFor())
    assert.strictEqual(yield* Effect.promise(() => page.getByRole("button", { name: "Start a call" }).count()), 0)
    yield* Effect.promise(async () => {
      await page.getByRole("row").nth(1).click()
      await page.getByRole("heading", { name: /Call to/ }).waitFor()
    })
    assert.strictEqual(yield* Effect.promise(() => page.getByRole("button", { name: /Cancel|Hang up/ }).count()), 0)
    const text = yield* Effect.promise(() => page.locator("body").innerText())
    assert.notInclude(text.replaceAll(/\s/g, ""), "5550101")
    assert.deepStrictEqual(yield* problemsOf(page), [])
    // What the server refuses is explained, or not there.
    yield* Effect.promise(async () => {
      const pages = `${server.url}/console/${server.accountId}`
      await page.goto(`${pages}/calls?q=%2B14155550101`)
      await page.getByText("Phone numbers are masked for your role").waitFor()
      assert.strictEqual(await page.getByRole("alert").count(), 0)
      await page.goto(`${pages}/hours`)
      await page.getByRole("heading", { name: "Presets" }).waitFor()
      assert.strictEqual(await page.locator("input[name=phone_number]").count(), 0)
    })
  }), timeout)
