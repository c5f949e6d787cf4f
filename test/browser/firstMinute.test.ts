import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { resolve } from "node:path"
import type { Page } from "playwright-core"
import * as DevProcess from "../support/DevProcess.ts"
import * as Browser from "./support/Browser.ts"
import * as Keyboard from "./support/Keyboard.ts"

/** Two processes start, beside other tests. */
const timeout = 300_000

/** A conversation takes a quarter of a minute. On a machine that is too slow to see it begin, another call is followed. */
const speed = "3"

const killAll = ({ pid }: ChildProcess) =>
  Effect.sync(() => {
    try {
      // npm, its shell and the server, as when a machine fails.
      if (pid !== undefined) process.kill(-pid, "SIGKILL")
    } catch {
      // They have ended.
    }
  })

/** `npm start` on this folder and a free port, and what it prints. */
const npmStart = (data: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const env = Object.fromEntries(
        Object.entries(process.env).filter(([name]) =>
          name !== "DATABASE_URL" && !/^(OUTDIAL_|npm_|NODE_OPTIONS)/.test(name)
        )
      )
      const child = spawn(
        "npm",
        ["start", "--", "--data", data, "--port", "0", "--speed", speed],
        { cwd: resolve(import.meta.dirname, "../.."), env, stdio: ["ignore", "pipe", "pipe"], detached: true }
      )
      let output = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => output += text)
      }
      return { child, output: () => output }
    }),
    ({ child }) => killAll(child)
  )

/** Runs in the page from now on: how many turns it shows, each time that this changes, while a call is spoken. */
const countTurns = `
  globalThis.counts = []
  new MutationObserver(() => {
    const main = document.querySelector("main")
    const count = main?.querySelectorAll("[role=log] [data-turn]").length ?? 0
    if (main?.textContent.includes("As it is spoken") && count > 0 && count !== counts.at(-1)) counts.push(count)
  }).observe(document.body, { childList: true, subtree: true })
`

/** Follows a call that is in progress to its end. The numbers of turns that were shown meanwhile. */
const followCall = async (page: Page): Promise<ReadonlyArray<number>> => {
  await page.evaluate("counts.length = 0")
  await Keyboard.press(page.getByRole("row").filter({ hasText: "In progress" }).getByRole("link").first())
  await page.getByRole("heading", { name: /^Call to/ }).waitFor()
  await Browser.until(page, "!document.querySelector('main').textContent.includes('As it is spoken')")
  return page.evaluate("counts")
}

it.live(
  "takes a new user from npm start to the first call, its recording and its event, and outlives a killed server",
  () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const server = yield* npmStart(data)
      const link = yield* DevProcess.eventually(Effect.try({
        try: () => {
          const [found] = /http:\S+\/console\/link#\S+/.exec(server.output()) ?? []
          if (found === undefined) throw new Error("There is no link yet")
          return found
        },
        catch: () => new DevProcess.NotYet({ seen: server.output() })
      }))

      const page = yield* Browser.page()
      page.setDefaultTimeout(90_000)
      yield* Effect.promise(async () => {
        await page.goto(link)
        // The button has the focus.
        await page.getByRole("button", { name: "Open the console" }).and(page.locator(":focus")).press("Enter")
        await Keyboard.press(page.getByRole("button", { name: "Start the demo campaign" }))
        await page.getByText("20 calls queued").waitFor()
        await page.evaluate(countTurns)
        // Turn by turn, while it is spoken: three times at least there were more than before.
        let counts: ReadonlyArray<number> = []
        for (let calls = 0; counts.length < 3 && calls < 20; calls++) {
          if (calls > 0) await page.goBack()
          counts = await followCall(page)
        }
        assert.isAtLeast(counts.length, 3)
        assert.deepStrictEqual(counts, counts.toSorted((one, other) => one - other))
      })
      yield* Effect.promise(async () => {
        // Nothing was reloaded.
        await Keyboard.press(page.getByRole("button", { name: "Play the recording" }))
        await page.locator(".turn.heard").waitFor()
        const event = page.locator(".event").filter({ hasText: "call.completed" })
        await event.getByText("Delivered", { exact: true }).waitFor()
        await event.getByText("HTTP 2").first().waitFor()
      })
      assert.deepStrictEqual(Browser.complaints(page), [])
      assert.include(server.output(), "call.completed")

      // The whole process is killed, and comes back on the same data: the page stays open, and so does its session.
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("navigation").getByRole("link", { name: "Calls", exact: true }))
        await page.getByText("Live", { exact: true }).waitFor()
        await page.getByRole("rowheader").first().waitFor()
      })
      yield* killAll(server.child)
      yield* Effect.promise(() => page.locator(".banner").waitFor())
      const { port } = new URL(link)
      yield* DevProcess.spawnOutdial(["dev", "--data", data, "--port", port, "--speed", speed])
      yield* Effect.promise(async () => {
        await page.locator(".banner").waitFor({ state: "detached" })
        await page.getByText("Live", { exact: true }).waitFor()
        await Keyboard.press(page.getByRole("row").nth(1))
        await page.getByRole("heading", { name: /^Call to/ }).waitFor()
      })
    }),
  timeout
)
