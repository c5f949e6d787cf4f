import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"
import * as Keyboard from "./support/Keyboard.ts"

/** A browser on a busy machine is slow. */
const timeout = 240_000

/** So many of 50,000 rows have a number that no row before has. `OUTDIAL_ROWS=50000` starts them all. */
const different = Math.min(50_000, Number(process.env["OUTDIAL_ROWS"] ?? 1_500))

const hostile = "<img src=x onerror=alert(1)>"

/** As an older spreadsheet writes it: semicolons, Windows-1252, and no number that could really ring. */
const file = (contacts: number) =>
  Buffer.from(
    [
      "Telefon;Name;day;Kundennummer;Notiz",
      ...Array.from(
        { length: contacts },
        (_, row) => `+1212${5_550_000 + row};J\u00fcrgen ${row};Monday;crm-${row};"a; ""b"""`
      ),
      "",
      `no number;${hostile};Monday;=1+1;`,
      "001 (212) 555-0000;Twice;Monday;;"
    ].join("\r\n"),
    "latin1"
  )

it.effect(
  "starts a file as batches after a check of all rows, each row once although an answer is lost",
  () =>
    Effect.gen(function*() {
      // No call ends while the test looks at them.
      const { engine, ...server } = yield* ConsoleServer.open()
      yield* Effect.promise(() => engine.pauseAll())
      const page = yield* ConsoleServer.openPage({ engine, ...server }, "batches", { role: "operator" })
      yield* Effect.promise(async () => {
        await page.getByText("No batches yet").waitFor()
        await Keyboard.press(page.getByRole("link", { name: "New batch" }).first())
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          Keyboard.press(page.getByRole("button", { name: "Choose a CSV file" }))
        ])
        await chooser.setFiles({ name: "contacts.csv", mimeType: "text/csv", buffer: file(1_205) })
        await page.getByRole("button", { name: /Western European/ }).waitFor()
        await page.getByRole("cell", { name: "J\u00fcrgen 0" }).waitFor()
        await Keyboard.choose(page.getByRole("button", { name: "Use column Notiz as" }), "Metadata")
        await Keyboard.press(page.getByRole("button", { name: "Check 1,207 rows" }))
        await page.getByText("1,205 rows can be called").waitFor()
        await page.getByText("The same number as in row 2").waitFor()
      })
      assert.deepStrictEqual((yield* Effect.promise(() => engine.batches.list())).items, [])
      yield* isSound(page, "console-new-batch")
      // Once more at the end of the page, as axe has scrolled it: what is wrong, and what starts.
      yield* Effect.promise(() => page.evaluate("scrollTo(0, document.documentElement.scrollHeight)"))
      yield* Browser.picture(page, "console-new-batch")

      const faulty = yield* Effect.promise(async () => {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          Keyboard.press(page.getByRole("button", { name: "Download the faulty rows" }))
        ])
        return readFile(await download.path(), "utf8")
      })
      assert.include(faulty, `no number,${hostile},Monday,'=1+1,,1208,`)

      yield* Effect.promise(async () => {
        let requests = 0
        await page.route("**/v1/batches", async (route) => {
          requests += 1
          // The server does it, and its answer is lost.
          const response = await route.fetch()
          await (requests === 1 ? route.abort() : route.fulfill({ response }))
        })
        await Keyboard.press(page.getByRole("button", { name: "Start 1,205 calls" }))
        await Keyboard.confirm(page, "Start 1,205 calls")
        await page.getByText("1,205 calls queued").waitFor()
        await page.unroute("**/v1/batches")
      })
      const batches = (yield* Effect.promise(() => engine.batches.list())).items
      assert.deepStrictEqual(batches.map(({ acceptedCount, rejectedCount }) => [acceptedCount, rejectedCount]), [
        [205, 0],
        [1_000, 0]
      ])
      const [last] = (yield* Effect.promise(() => engine.calls.list({ externalId: "crm-1204" }))).items
      assert.deepStrictEqual(last?.contact, { name: "J\u00fcrgen 1204", externalId: "crm-1204" })
      assert.deepStrictEqual([last?.variables, last?.metadata], [{ day: "Monday" }, { Notiz: "a; \"b\"" }])

      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("link", { name: "Batch 2" }))
        await page.getByRole("row", { name: /0105|1000/ }).first().waitFor()
      })
      yield* isSound(page, "console-batch")
      const results = yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Cancel waiting calls" }))
        await page.getByRole("alertdialog").getByText("205 waiting calls").waitFor()
        await Keyboard.confirm(page, "Cancel waiting calls")
        await page.getByText("205 of 205").waitFor()
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          Keyboard.press(page.getByRole("button", { name: "Download results" }))
        ])
        return readFile(await download.path(), "utf8")
      })
      assert.strictEqual(results.trim().split("\r\n").length, 206)
      assert.include(results, "crm-1000,canceled")
      const counts = (yield* Effect.promise(() => engine.batches.list())).items.map(({ counts }) => counts)
      assert.deepStrictEqual(counts.map(({ canceled, queued }) => [canceled, queued]), [[205, 0], [0, 1_000]])

      // Pasted, with another separator and without a header, as test calls; what a contact is called is no formula.
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("navigation").getByRole("link", { name: "Batches" }))
        await Keyboard.press(page.getByRole("link", { name: "New batch" }).first())
        await Keyboard.press(page.getByRole("button", { name: "Paste rows instead" }))
        await Keyboard.write(page.getByLabel("Rows, one per line"), `phone|name|day\n+14155550133|=1+1|${hostile}`)
        await Keyboard.press(page.getByRole("button", { name: "Use these rows" }))
        await Keyboard.choose(page.getByRole("button", { name: "Separator" }), "Tab")
        await page.getByRole("rowheader", { name: "phone|name|day" }).waitFor()
        await Keyboard.choose(page.getByRole("button", { name: "Separator" }), "Vertical bar")
        await page.getByRole("cell", { name: hostile }).waitFor()
        const header = page.getByRole("checkbox", { name: "The first row names the columns" })
        await Keyboard.press(header, "Space")
        await page.getByRole("button", { name: "Check 2 rows" }).waitFor()
        await Keyboard.press(header, "Space")
        await Keyboard.press(page.getByRole("button", { name: "Check 1 row" }))
        await Keyboard.press(page.getByRole("checkbox", { name: "Test: simulate the calls" }), "Space")
        await Keyboard.press(page.getByRole("button", { name: "Start 1 call" }))
        await Keyboard.confirm(page, "Start 1 call")
        await Keyboard.press(page.getByRole("link", { name: "Batch 1" }))
        await page.getByText("1 of 1").waitFor()
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          Keyboard.press(page.getByRole("button", { name: "Download results" }))
        ])
        assert.include(await readFile(await download.path(), "utf8"), ",+14155550133,'=1+1,,completed,")
      })
      const [pasted] = (yield* Effect.promise(() => engine.calls.list({ limit: 1 }))).items
      assert.deepStrictEqual(
        [pasted?.test, pasted?.contact.name, pasted?.variables],
        [true, "=1+1", { day: hostile }]
      )
    }),
  timeout
)

it.effect(
  "checks 50,000 rows, finds numbers that are there twice, starts the others, and takes no longer file",
  () =>
    Effect.gen(function*() {
      const { engine, ...server } = yield* ConsoleServer.open()
      yield* Effect.promise(() => engine.pauseAll())
      const page = yield* ConsoleServer.openPage({ engine, ...server }, "batches/new", { role: "operator" })
      const good = different.toLocaleString("en")
      const upload = (rows: number) => {
        const lines = Array.from({ length: rows }, (_, row) => `+1212${5_000_000 + row % different},Monday,${row}`)
        const buffer = Buffer.from([`phone,day,${hostile}`, ...lines].join("\n"))
        return page.locator("input[type=file]").setInputFiles({ name: `${hostile}.csv`, mimeType: "text/csv", buffer })
      }
      yield* Effect.promise(async () => {
        await upload(50_001)
        await page.getByText("at most 50,000 are possible").waitFor()
        await upload(50_000)
        await page.getByText(`${hostile}.csv`).waitFor()
        await page.getByRole("rowheader", { name: hostile }).waitFor()
        await page.getByRole("button", { name: "Check 50,000 rows" }).click()
        await page.getByText(`${good} rows can be called`).waitFor({ timeout })
        await page.getByRole("button", { name: `Start ${good} calls` }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: `Start ${good} calls` }).click()
        await page.getByText(`${good} calls queued`).waitFor({ timeout })
      })
      const batches = (yield* Effect.promise(() => engine.batches.list({ limit: 100 }))).items
      assert.strictEqual(batches.reduce((sum, { acceptedCount }) => sum + acceptedCount, 0), different)
      assert.strictEqual(batches.length, Math.ceil(different / 1_000))
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  300_000
)

it.effect("shows batches to viewers, who cannot start or cancel one, also on a narrow screen", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    yield* Effect.promise(() => server.engine.pauseAll())
    yield* Effect.promise(() =>
      server.engine.batches.start({
        agentId: server.agentId,
        calls: [{ phoneNumber: "+14155550100", variables: { day: "Monday" }, contact: { externalId: hostile } }]
      })
    )
    const page = yield* ConsoleServer.openPage(server, "batches", {
      role: "viewer",
      viewport: { width: 360, height: 740 }
    })
    yield* Effect.promise(async () => {
      await page.getByText("0 of 1").waitFor()
      assert.strictEqual(await page.getByRole("link", { name: "New batch" }).count(), 0)
      assert.isAtMost(await Browser.contentWidth(page), 360)
    })
    yield* isSound(page, "console-batches-narrow")
    yield* Effect.promise(async () => {
      await page.getByRole("row").nth(1).press("Enter")
      await page.getByRole("heading", { name: "Calls of this batch" }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Cancel waiting calls" }).count(), 0)
      await page.goto(`${server.url}/console/${server.accountId}/batches/new`)
      await page.getByText("Your role may look at batches").waitFor()
    })
    assert.deepStrictEqual(Browser.complaints(page), [])
  }))
