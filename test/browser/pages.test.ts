import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"

/** A browser on a busy machine is slow. */
const timeout = 240_000

const hostile = `<img src=x onerror=alert(1)>\u202E${"W".repeat(120)}`

/** Every page, with something on it, by its path below the account. */
const pagesOf = (server: ConsoleServer.ConsoleServer) =>
  Effect.promise(async () => {
    const { agentId, engine } = server
    const { id: call } = await engine.calls.start({
      agentId,
      phoneNumber: "+14155550101",
      contact: { name: hostile },
      variables: { day: "Monday" },
      test: true
    })
    const { id: waiting } = await engine.calls.start({
      agentId,
      phoneNumber: "+14155550102",
      contact: { name: hostile },
      variables: { day: hostile },
      notBefore: new Date(Date.now() + 30 * 86_400_000)
    })
    const { id: batch } = await engine.batches.start({
      agentId,
      calls: [{ phoneNumber: "+14155550103", variables: { day: "Monday" } }, { phoneNumber: "12", variables: {} }]
    })
    await engine.doNotCall.add(["+14155550199"])
    await engine.keys.create({ name: hostile, scopes: ["calls:read"] })
    await engine.webhook.set({ url: "https://example.com/hooks" })
    return [
      "now",
      "calls",
      `calls/${call}`,
      `calls/${waiting}`,
      "batches",
      "batches/new",
      `batches/${batch}`,
      "agents",
      "agents/new",
      `agents/${agentId}`,
      "hours",
      `hours?agent=${agentId}`,
      "do-not-call",
      "webhook",
      "keys",
      "usage",
      "accounts",
      "sessions",
      "audit"
    ]
  })

const open = async (page: Page, server: ConsoleServer.ConsoleServer, path: string) => {
  await page.goto(`${server.url}/console/${server.accountId}/${path}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.locator("main .skeleton").first().waitFor({ state: "detached" })
}

/** What had the focus: what it is, whether its focus could be seen, and whether it stands after the one before in the document. */
interface Stop {
  readonly name: string
  readonly isSeen: boolean
  readonly isAfter: boolean
  /** The first stop of a page, which comes again after the last; so does the frame of the browser, which has no name. */
  readonly isEnd: boolean
}

/** Runs in the page: before each Tab, what has the focus, once styles and scroll position have followed it. */
const recordStops = `(() => {
  globalThis.stops = []
  let last
  addEventListener("keydown", () => {
    const element = document.activeElement
    if (element === null || element === document.body) return stops.push({ name: "", isSeen: true, isAfter: true, isEnd: true })
    const box = element.getBoundingClientRect()
    const outlined = [element, element.closest(".check"), element.closest("[data-focus-visible]"), element.querySelector("[data-focus-visible]")]
      .filter((one) => one !== null)
      .some((one) => {
        const { boxShadow, outlineStyle, outlineWidth } = getComputedStyle(one)
        return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none"
      })
    const inView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
    stops.push({
      name: element.tagName + " " + (element.getAttribute("aria-label") ?? element.textContent ?? "").slice(0, 40),
      isSeen: outlined && inView,
      isAfter: last === undefined || (last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
      isEnd: element.classList.contains("skip-link")
    })
    last = element
  }, true)
})()`

const stopsOfTable =
  `[...document.querySelectorAll("[role=grid], [role=grid] *")].filter(({ tabIndex }) => tabIndex >= 0).length`

/** From the title to the end of the page by Tab: the stops on the way. */
const tabThrough = async (page: Page, path: string): Promise<ReadonlyArray<Stop>> => {
  await page.evaluate(recordStops)
  for (let keys = 0; keys < 300; keys += 10) {
    for (const key of Array.from({ length: 10 }, () => "Tab")) await page.keyboard.press(key)
    const stops = await page.evaluate<ReadonlyArray<Stop>>("globalThis.stops")
    // The first is the title, from where it starts.
    const end = stops.findIndex(({ isEnd }, index) => isEnd && index > 0)
    if (end !== -1) return stops.slice(1, end)
  }
  throw new Error(`${path} has a trap at ${await page.evaluate<string>("globalThis.stops.at(-1).name")}`)
}

it.effect(
  "leads through every page by the Tab key alone, in order, seen, without a trap, past the menu; axe finds nothing and each fits in 360 pixels, in German",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      const paths = yield* pagesOf(server)
      const page = yield* ConsoleServer.openPage(server, "now")
      yield* Effect.promise(() => page.evaluate("localStorage.setItem('outdial-language', 'de')"))
      for (const path of paths) {
        const stops = yield* Effect.promise(async () => {
          await open(page, server, path)
          assert.strictEqual(await page.evaluate("document.documentElement.lang"), "de")
          await page.keyboard.press("Tab")
          await page.locator(".skip-link:focus").waitFor()
          await page.keyboard.press("Enter")
          assert.strictEqual(await page.evaluate("document.activeElement.tagName"), "H1", path)
          return tabThrough(page, path)
        })
        assert.deepStrictEqual(stops.filter(({ isAfter, isSeen }) => !isAfter || !isSeen), [], path)
        // Buttons of its rows are reached by arrow keys.
        const ofTable = yield* Effect.promise(() => page.evaluate(stopsOfTable))
        assert.isAtMost(Number(ofTable), 1, path)
        if (path !== "usage") assert.isAbove(stops.length, 0, path)
        // Words are longer in German than in English.
        yield* isSound(page, `page-${path.replaceAll(/[^a-z-]+\w*/g, "-")}`, true)
        // The columns of a table take the width that there is now.
        if (path === "calls") {
          yield* Effect.promise(async () => {
            await page.setViewportSize({ width: 360, height: 740 })
            await Browser.until(
              page,
              `(() => {
                const widths = [...document.querySelectorAll("[role=columnheader]")].map((one) => one.getBoundingClientRect().width)
                return Math.abs(widths.reduce((sum, width) => sum + width, 0) - document.querySelector(".data-table").clientWidth) < 4
              })()`
            )
            await page.setViewportSize({ width: 1280, height: 800 })
          })
        }
        if (Browser.arePicturesTaken) {
          yield* Effect.promise(() => page.setViewportSize({ width: 360, height: 740 }))
          yield* Browser.picture(page, `narrow-${path.replaceAll(/[^a-z-]+\w*/g, "-")}`)
          yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
        }
      }
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  timeout
)

it.effect(
  "is used in German from the first page on: numbers and times as there, a stop and its consequence",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open()
      yield* Effect.promise(() => server.engine.pauseAll())
      yield* Effect.promise(() =>
        server.engine.batches.start({
          agentId: server.agentId,
          calls: Array.from({ length: 1_000 }, (_, row) => ({
            phoneNumber: `+1212${5_550_000 + row}`,
            variables: { day: "Montag" }
          }))
        })
      )
      const page = yield* Browser.page({ locale: "de-DE" })
      const address = yield* ConsoleServer.link(server)
      yield* Effect.promise(async () => {
        await page.goto(address)
        await page.getByRole("button", { name: "Konsole \u00f6ffnen" }).click()
        await page.getByRole("heading", { name: "Not-Halt: Es gehen keine Anrufe hinaus" }).waitFor()
        await page.getByText("1.000", { exact: true }).first().waitFor()
        await page.getByRole("button", { name: "Alle Konten fortsetzen" }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: "Alle Konten fortsetzen" }).click()
        await page.getByRole("heading", { name: "Not-Halt" }).waitFor({ state: "detached" })
        // The keyboard and fingers have no hover: UTC is chosen.
        await page.getByLabel("Zeiten").selectOption({ label: "Zeiten in UTC" })
        await page.locator("main time").getByText("UTC").first().waitFor()
        // What the server finds unusual, and the notes of a preset, are in the language of the page, too.
        await page.goto(`${server.url}/console/${server.accountId}/hours`)
        await page.getByText("Das Telefon darf jederzeit klingeln, also auch nachts.").waitFor()
        await page.getByRole("button", { name: "Land oder Staat" }).click()
        await page.getByRole("option", { name: "Deutschland" }).click()
        await page.getByText("Einwilligung: vorherige ausdr\u00fcckliche Einwilligung").waitFor()
        await page.getByText("die Vorlage erlaubt das nicht").waitFor()
        assert.notMatch(await page.locator("main").innerText(), /\b(The|Consent|which|may|must)\b/)
      })
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  timeout
)
