/** A real Chromium, one for each worker, and what tests do with its pages. */
import { Effect, Exit, Schema } from "effect"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

/** `OUTDIAL_CHROMIUM`, or where Debian installs it. */
const executablePath = process.env["OUTDIAL_CHROMIUM"] ?? "/usr/bin/chromium"

export class NoChromium extends Schema.TaggedError<NoChromium>()("NoChromium", {}) {
  override get message(): string {
    return `There is no Chromium at ${executablePath}. Install it (Debian: apt-get install chromium), or set OUTDIAL_CHROMIUM to its executable`
  }
}

/** A browser that would look for its maker's servers delays each test on a machine without a network. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

let launched: Promise<Browser> | undefined

const browser = Effect.suspend(() =>
  existsSync(executablePath)
    ? Effect.promise(() => launched ??= chromium.launch({ executablePath, args: flags }))
    : Effect.fail(new NoChromium())
)

export interface PageOptions {
  /** Default: light. */
  readonly colorScheme?: "light" | "dark"
  /** Default: en-US. */
  readonly locale?: string
  /** Default: 1280 by 800 pixels. */
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** Everything that a page complains of: errors, failed assertions of React, and breaches of the content security policy. */
const complaintsOf = new WeakMap<Page, Array<string>>()

/** A page in a profile of its own, without cookies. It is closed after the test, which fails if the page has complained. */
export const page = (options: PageOptions = {}) =>
  Effect.gen(function*() {
    const context = yield* Effect.acquireRelease(
      Effect.flatMap(browser, (browser) =>
        Effect.promise(() =>
          browser.newContext({
            colorScheme: options.colorScheme ?? "light",
            viewport: options.viewport ?? { width: 1280, height: 800 },
            locale: options.locale ?? "en-US",
            timezoneId: "Europe/Berlin",
            reducedMotion: "reduce"
          })
        )),
      (context) => Effect.promise(() => context.close())
    )
    const page = yield* Effect.acquireRelease(
      Effect.promise(() => context.newPage()),
      (page, exit) => Exit.isSuccess(exit) ? Effect.void : failurePicture(page)
    )
    page.setDefaultTimeout(20_000)
    const complaints: Array<string> = []
    complaintsOf.set(page, complaints)
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("console", (message) => {
      // What the network refused is shown by the page itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        complaints.push(message.text())
      }
    })
    return page
  })

/** What the page has complained of so far. Tests end with an empty list. */
export const complaints = (page: Page): ReadonlyArray<string> => complaintsOf.get(page) ?? []

/** In pixels: more than the width of the window if the page scrolls sideways. */
export const contentWidth = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth")

/** Waits until the expression is true in the page; by the debugger, as the content security policy forbids what `waitForFunction` does. */
export const until = async (page: Page, expression: string, milliseconds = 120_000): Promise<void> => {
  const deadline = Date.now() + milliseconds
  while (await page.evaluate(expression) !== true) {
    if (Date.now() > deadline) throw new Error(`It is not true in the page: ${expression}`)
    await page.evaluate("new Promise(requestAnimationFrame)")
  }
}

const axeSource = Effect.sync(() => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"))
  .pipe(Effect.cached, Effect.runSync)

interface AxeOptions {
  readonly runOnly?: ReadonlyArray<string>
  readonly resultTypes: ReadonlyArray<string>
  readonly preload: boolean
}

/** What axe finds wrong with the page as it stands: rule, and the elements. `rules` limits what it looks for. */
export const accessibilityProblems = Effect.fnUntraced(function*(page: Page, rules?: ReadonlyArray<string>) {
  const source = yield* axeSource
  return yield* Effect.promise(async () => {
    // Evaluated by the debugger, as the content security policy refuses a script element.
    if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(source)
    return page.evaluate(async (options) => {
      const { axe } = globalThis as unknown as {
        readonly axe: {
          run(options: AxeOptions): Promise<{
            readonly violations: ReadonlyArray<{
              readonly id: string
              readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
            }>
          }>
        }
      }
      const { violations } = await axe.run(options)
      return violations.map(({ id, nodes }) =>
        `${id}: ${nodes.map(({ failureSummary, html }) => `${html}\n${failureSummary}`).join("\n")}`
      )
    }, { resultTypes: ["violations"], preload: false, ...(rules !== undefined && { runOnly: rules }) })
  })
})

/** Pictures take a second of CPU time each: only `OUTDIAL_PICTURES=1` takes them, and renews those of the documentation. */
export const arePicturesTaken = process.env["OUTDIAL_PICTURES"] === "1"

/** The pictures of the documentation. */
const documentation = resolve(import.meta.dirname, "../../../docs/pictures")

/** All other pictures, in a folder that git ignores. */
const pictures = resolve(import.meta.dirname, "../../../node_modules/.cache/outdial/pictures")

const pathOf = (file: string) => {
  const documented = join(documentation, file)
  return existsSync(documented) ? documented : join(pictures, file)
}

/** What a page showed when its test failed. */
const failurePicture = (page: Page) =>
  Effect.ignore(
    Effect.tryPromise(() =>
      page.screenshot({ path: join(pictures, `failed-${new URL(page.url()).pathname.replaceAll("/", "-")}.png`) })
    )
  )

/** Takes the page's picture in light and dark, as `NAME.png` and `NAME-dark.png`, if pictures are taken. */
export const picture = (page: Page, name: string) =>
  Effect.promise(async () => {
    if (!arePicturesTaken) return
    mkdirSync(pictures, { recursive: true })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      const path = pathOf(`${name}${colorScheme === "dark" ? "-dark" : ""}.png`)
      await page.screenshot({ path, animations: "disabled", caret: "hide" })
    }
    await page.emulateMedia({ colorScheme: "light" })
  })
