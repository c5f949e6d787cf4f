import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { resolve } from "node:path"
import * as DevProcess from "../support/DevProcess.ts"
import * as Browser from "./support/Browser.ts"

/** Two processes start, beside other tests. */
const timeout = 300_000

/** As in life, so that a busy machine sees a conversation begin. */
const speed = 1

const freePort = Effect.callback<number>((done) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => done(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const killAll = ({ pid }: ChildProcess) =>
  Effect.sync(() => {
    try {
      // npm, its shell and the server, as when a machine fails.
      if (pid !== undefined) process.kill(-pid, "SIGKILL")
    } catch {
      // They have ended.
    }
  })

/** `npm start` on this folder and port, and what it prints. */
const npmStart = (data: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const env = Object.fromEntries(
        Object.entries(process.env).filter(([name]) =>
          name !== "DATABASE_URL" && !/^(OUTDIAL_|npm_|NODE_OPTIONS)/.test(name)
        )
      )
      const child = spawn(
        "npm",
        ["start", "--", "--data", data, "--port", String(port), "--speed", String(speed)],
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

it.live(
  "takes a new user from npm start to the first call, its recording and its event, and outlives a killed server",
  () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const port = yield* freePort
      const server = yield* npmStart(data, port)
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
        await page.getByRole("button", { name: "Open the console" }).click()
        await page.getByRole("button", { name: "Start the demo campaign" }).click()
        await page.getByText("20 calls queued").waitFor()
        await page.evaluate(`
          globalThis.lengths = new Set()
          const count = () => {
            if (document.querySelector("main").textContent.includes("As it is spoken")) {
              globalThis.lengths.add(document.querySelectorAll("[role=log] [data-turn]").length)
            }
          }
          new MutationObserver(count).observe(document.body, { childList: true, subtree: true })
        `)
        // The first that talks, from the list of the last calls.
        await page.getByRole("row").filter({ hasText: "In progress" }).getByRole("link").first().click()
        await page.getByRole("heading", { name: /^Call to/ }).waitFor()
      })
      // Turn by turn, while it is spoken.
      const lengths = yield* Effect.promise(async () => {
        await Browser.until(page, "document.querySelector('main').textContent.includes('Play the recording')")
        return page.evaluate("[...globalThis.lengths]")
      })
      assert.isAbove((lengths as ReadonlyArray<number>).length, 1)
      yield* Effect.promise(async () => {
        // Nothing was reloaded.
        await page.getByRole("button", { name: "Play the recording" }).click()
        await page.locator(".turn.heard").waitFor()
        const event = page.locator(".event").filter({ hasText: "call.completed" })
        await event.getByText("Delivered", { exact: true }).waitFor()
        await event.getByText("HTTP 2").first().waitFor()
      })
      assert.deepStrictEqual(Browser.complaints(page), [])
      assert.include(server.output(), "call.completed")

      // The whole process is killed, and comes back on the same data: the page stays open, and so does its session.
      const calls = `http://127.0.0.1:${port}${new URL(page.url()).pathname.replace(/calls\/.*/, "calls")}`
      yield* Effect.promise(async () => {
        await page.goto(calls.replace("127.0.0.1", new URL(page.url()).hostname))
        await page.getByText("Live", { exact: true }).waitFor()
        await page.getByRole("rowheader").first().waitFor()
      })
      yield* killAll(server.child)
      yield* Effect.promise(() => page.locator(".banner").waitFor())
      yield* npmStart(data, port)
      yield* Effect.promise(async () => {
        await page.locator(".banner").waitFor({ state: "detached" })
        await page.getByText("Live", { exact: true }).waitFor()
        await page.getByRole("row").nth(1).click()
        await page.getByRole("heading", { name: /^Call to/ }).waitFor()
      })
    }),
  timeout
)
