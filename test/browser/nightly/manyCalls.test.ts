import { assert, it } from "@effect/vitest"
import { postgres } from "@outdial/sql"
import { Effect } from "effect"
import { Client } from "pg"
import type { Page } from "playwright-core"
import * as PostgresDatabase from "../../support/postgres.ts"
import * as Browser from "../support/Browser.ts"
import * as ConsoleServer from "../support/ConsoleServer.ts"

const callCount = 100_000

/** So many are scrolled through. `OUTDIAL_ROWS=100000` takes all, and minutes. */
const depth = Number(process.env["OUTDIAL_ROWS"] ?? 600)

/** A browser on a busy machine is slow. */
const timeout = 240_000 + depth * 5

/** Copies of a call, each a second older than the one before. The n-th has the number +1200…, which ends with n. */
const copy = async (client: Client, id: string, from: number, to: number) => {
  const own: Readonly<Record<string, string>> = {
    id: "'call_' || lpad(n::text, 26, '0')",
    phone_number: "'+1' || (2000000000 + n)",
    created_at: "created_at - n * interval '1 second'"
  }
  for (const table of ["outdial_call_requests", "outdial_calls"]) {
    const { rows } = await client.query<{ readonly name: string }>(
      "select column_name as name from information_schema.columns where table_name = $1 and is_generated = 'NEVER'",
      [table]
    )
    const names = rows.map(({ name }) => name)
    await client.query(
      `insert into ${table} (${names.join()})
      select ${names.map((name) => own[name] ?? name).join()}
      from ${table}, generate_series(${from}, ${to}) as n
      where id = $1`,
      [id]
    )
  }
}

const rowHeight = 42

const idOf = (n: number) => `call_${String(n).padStart(26, "0")}`

/** The rows in view by the numbers of their calls, from the first to the last. */
const numbersInView = (page: Page): Promise<ReadonlyArray<number>> =>
  page.evaluate(`(() => {
    const table = document.querySelector(".data-table")
    const { bottom, top } = table.getBoundingClientRect()
    return [...table.querySelectorAll("[role=row]")]
      .map((row) => ({ text: row.textContent, box: row.getBoundingClientRect() }))
      .filter(({ box }) => box.top > top && box.bottom < bottom)
      .sort((one, other) => one.box.top - other.box.top)
      .flatMap(({ text }) => {
        const number = /\\+1\\D*200\\D*(\\d{3})\\D*(\\d{4})/.exec(text)
        return number === null ? [] : [Number(number[1] + number[2])]
      })
  })()`)

const scrollTo = (page: Page, row: number) =>
  page.evaluate(`document.querySelector(".data-table").scrollTop = ${row * rowHeight}`)

/** Scrolls by so many pixels in each frame until the row is at the top. The milliseconds of each frame. */
const scrollBy = (
  page: Page,
  distance: string,
  row: number,
  selector = ".data-table"
): Promise<ReadonlyArray<number>> =>
  page.evaluate(`new Promise((done) => {
    const table = document.querySelector("${selector}")
    const frames = []
    let last = performance.now()
    const next = (now) => {
      frames.push(now - last)
      last = now
      if (table.scrollTop >= ${row * rowHeight}) return done(frames)
      table.scrollTop += ${distance}
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })`)

/** To compare with: a table of 100 rows without a script, above the page, with the texts of the rows in view. */
const showPeer = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    const texts = [...document.querySelectorAll(".data-table [role=row]")].slice(1)
      .map((row) => [...row.children].map((cell) => cell.textContent))
    const peer = document.createElement("div")
    peer.id = "peer"
    peer.style.cssText = "position: fixed; inset: 60px 20px 20px 260px; overflow: auto; background: Canvas; z-index: 9"
    const table = peer.appendChild(document.createElement("table"))
    table.style.width = "100%"
    for (let index = 0; index < 100; index++) {
      const row = table.insertRow()
      row.style.height = "${rowHeight}px"
      for (const text of texts[index % texts.length]) row.insertCell().textContent = text
    }
    document.body.append(peer)
  })()`)

const removePeer = (page: Page): Promise<void> => page.evaluate("document.querySelector('#peer').remove()")

const quantiles = (frames: ReadonlyArray<number>): string => {
  const sorted = frames.toSorted((one, other) => one - other)
  const [p50, p99] = [0.5, 0.99].map((share) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0))
  return `p50 ${p50} ms, p99 ${p99} ms`
}

/** A figure to read, of which nothing is asserted: it depends on the machine. */
const print = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

/** Without a gap, in order, and the row that was asked for among them. */
const shows = Effect.fnUntraced(function*(page: Page, row: number) {
  const numbers = yield* Effect.promise(async () => {
    await page.locator(`[aria-rowindex="${row + 4}"]`).getByText("+1").waitFor()
    return numbersInView(page)
  })
  const [first = 0] = numbers
  assert.isAbove(numbers.length, 5)
  assert.deepStrictEqual(numbers, numbers.map((_, index) => first + index))
  // The first call of the list is not a copy.
  assert.includeMembers([...numbers], [row + 2])
})

it.live(
  "scrolls through 100,000 calls: rows are read on the way and drawn around the view, and a change reads those in view",
  () =>
    Effect.gen(function*() {
      const url = yield* PostgresDatabase.database
      const server = yield* ConsoleServer.open({
        ...postgres({ url }),
        secretKey: "dGVzdCBrZXksIG5vdCBmb3IgcHJvZHVjdGlvbiAhISE=",
        workers: false
      })
      const start = (phoneNumber: string) =>
        Effect.promise(() =>
          server.engine.calls.start({ agentId: server.agentId, phoneNumber, variables: { day: "Monday" } })
        )
      const waiting = yield* start("+14155550100")
      const ended = yield* start("+14155550101")
      const changing = depth - 10
      const client = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new Client({ connectionString: url })
          await client.connect()
          return client
        }),
        (client) => Effect.promise(() => client.end())
      )
      yield* Effect.promise(async () => {
        await server.engine.calls.cancel(ended.id)
        await copy(client, ended.id, 1, changing - 1)
        await copy(client, waiting.id, changing, changing)
        await copy(client, ended.id, changing + 1, callCount)
        await client.query("analyze outdial_calls, outdial_call_requests")
      })

      const page = yield* ConsoleServer.openPage(server, "calls")
      const reads: Array<string> = []
      page.on("request", (request) => {
        if (/\/v1\/calls(\?|\/)/.test(request.url())) reads.push(request.url())
      })
      const cells = page.locator(".data-table [role=row]")
      yield* shows(page, 3)

      // First with the wheel, then evenly and three rows in each frame, which is fast, and then by a view in each.
      const session = yield* Effect.promise(() => page.context().newCDPSession(page))
      const busy = Effect.promise(async () => {
        await session.send("Performance.enable", { timeDomain: "threadTicks" })
        const { metrics } = await session.send("Performance.getMetrics")
        return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000
      })
      const heap = Effect.promise(async () => {
        await session.send("HeapProfiler.collectGarbage")
        return (await session.send("Runtime.getHeapUsage")).usedSize / 1e6
      })
      const firstHeap = yield* heap
      yield* Effect.promise(() => showPeer(page))
      const peerBefore = yield* busy
      const peerFrames = yield* Effect.promise(() => scrollBy(page, String(3 * rowHeight), 80, "#peer"))
      const peerWork = ((yield* busy) - peerBefore) / peerFrames.length
      yield* Effect.promise(() => removePeer(page))
      yield* Effect.promise(async () => {
        await page.mouse.move(640, 500)
        for (const _ of Array.from({ length: 3 })) await page.mouse.wheel(0, 400)
        await Browser.until(page, "document.querySelector('.data-table').scrollTop > 1000")
      })
      const before = yield* busy
      const frames = yield* Effect.promise(() => scrollBy(page, String(3 * rowHeight), Math.min(300, depth / 2)))
      const work = ((yield* busy) - before) / frames.length
      yield* Effect.promise(() => scrollBy(page, `table.clientHeight * ${depth > 10_000 ? 10 : 1}`, depth - 30))
      yield* print(
        `Three rows a frame: ${work.toFixed(1)} ms of CPU time a frame, ${quantiles(frames)}. ` +
          `A table without a script: ${peerWork.toFixed(1)} ms, ${quantiles(peerFrames)}. ` +
          `${depth} rows, ${reads.length} reads: ${
            ((yield* heap) - firstHeap).toFixed(1)
          } MB more than with the first page`
      )

      // Anywhere, back and forth, the right rows are in view, and a few in the document.
      for (const row of [changing - 5, 40, Math.floor(depth / 2), changing - 5]) {
        yield* Effect.promise(() => scrollTo(page, row))
        yield* shows(page, row)
        assert.isBelow(yield* Effect.promise(() => cells.count()), 80)
      }

      reads.length = 0
      yield* Effect.promise(async () => {
        await server.engine.calls.cancel(idOf(changing))
        await cells.filter({ hasText: "Canceled" }).and(page.locator(`[aria-rowindex="${changing + 3}"]`)).waitFor()
      })
      // A page that is read twice, as something changed meanwhile, counts once.
      assert.isAtMost(new Set(reads).size, 4)
      assert.deepStrictEqual(yield* Browser.accessibilityProblems(page), [])

      // By keyboard to both ends; a new call is seen at the newest.
      yield* Effect.promise(async () => {
        await cells.nth(8).focus()
        await page.keyboard.press("End")
        await Browser.until(page, `document.activeElement.getAttribute("aria-rowindex") > ${changing}`)
        await page.getByRole("button", { name: "Newest calls" }).click()
        await page.locator("[aria-rowindex='2']:focus").waitFor()
        await server.engine.calls.start({
          agentId: server.agentId,
          phoneNumber: "+14155550102",
          variables: { day: "Monday" }
        })
        await page.getByRole("row").filter({ hasText: "0102" }).waitFor()
      })
      assert.deepStrictEqual(Browser.complaints(page), [])
    }),
  timeout
)
