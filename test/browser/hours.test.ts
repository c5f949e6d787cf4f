import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"

const allDay = [{ start: "09:00", end: "20:00" }]

it.effect("changes the week by keyboard and by pointer, and shows the effect on waiting calls before it is saved", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open({ policy: {} })
    yield* Effect.promise(() => server.engine.pauseAll())
    yield* Effect.promise(() =>
      server.engine.batches.start({
        agentId: server.agentId,
        calls: ["+12125550100", "+14155550101"].map((phoneNumber) => ({ phoneNumber, variables: { day: "Monday" } }))
      })
    )
    const page = yield* ConsoleServer.openPage(server, "hours")
    const policy = Effect.promise(async () => (await server.engine.settings.get()).policy)
    yield* Effect.promise(async () => {
      const start = page.getByRole("slider", { name: "Monday, window 1: start" })
      await start.focus()
      await page.keyboard.press("PageUp")
      await page.keyboard.press("ArrowRight")
      await page.keyboard.press("Shift+ArrowRight")
      assert.strictEqual(await start.getAttribute("aria-valuetext"), "10:16")

      // 20:00 is dragged to 17:00, and a new window over a free part of the evening.
      const end = page.getByRole("slider", { name: "Tuesday, window 1: end" })
      const track = page.getByRole("group", { name: "Tuesday", exact: true }).locator(".week-track")
      const [edge, box] = [await end.boundingBox(), await track.boundingBox()]
      if (edge === null || box === null) throw new Error("The week is not in view")
      const middle = box.y + box.height / 2
      const at = (hour: number) => box.x + (box.width * hour) / 24
      await page.mouse.move(edge.x + edge.width / 2, middle)
      await page.mouse.down()
      await page.mouse.move(at(17), middle, { steps: 4 })
      await page.mouse.up()
      await page.locator("[aria-valuetext='17:00']").first().waitFor()
      await page.mouse.move(at(18) + 2, middle)
      await page.mouse.down()
      await page.mouse.move(at(19.5), middle, { steps: 4 })
      await page.mouse.up()
      await page.getByText("09:00\u201317:00, 18:00\u201319:30").waitFor()

      await page.getByRole("slider", { name: "Sunday, window 1: end" }).press("Delete")
      await page.getByRole("group", { name: "Sunday", exact: true }).getByText("Closed").waitFor()

      await page.getByLabel("Calls per day").fill("many")
      await page.getByLabel("Calls per day").and(page.locator("[aria-invalid=true]")).waitFor()
      await page.getByLabel("Calls per day").fill("500")
      await page.getByLabel("Gap between two calls").fill("90 min")
      await page.getByLabel("Country or state").press("Enter")
      await page.getByRole("option", { name: /Germany/ }).click()
      await page.getByText("which the preset de does not allow").first().waitFor()
      await page.getByRole("heading", { name: "Effect on waiting calls" }).waitFor()
      await page.getByRole("heading", { name: "Waiting calls after narrowing" }).waitFor()
      await page.evaluate("scrollTo(0, 0)")
    })
    yield* isSound(page, "console-hours")
    assert.deepStrictEqual(yield* policy, {})

    yield* Effect.promise(async () => {
      await page.getByLabel("Phone number").fill("12")
      await page.getByRole("button", { name: "Preview" }).click()
      await page.getByLabel("Phone number").and(page.locator("[aria-invalid=true]")).waitFor()
      await page.getByLabel("Phone number").fill("+4930123456")
      await page.getByRole("button", { name: "Preview" }).click()
      await page.getByRole("columnheader", { name: "Verdict" }).waitFor()

      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alertdialog").getByText("Are held for later").waitFor()
      await page.getByRole("alertdialog").getByRole("button", { name: "Save" }).click()
      await page.getByText("The rules are saved").waitFor()
    })
    const saved = yield* policy
    assert.deepStrictEqual(saved?.callingHours, {
      mon: [{ start: "10:16", end: "20:00" }],
      tue: [{ start: "09:00", end: "17:00" }, { start: "18:00", end: "19:30" }],
      wed: allDay,
      thu: allDay,
      fri: allDay,
      sat: allDay
    })
    assert.deepStrictEqual([saved?.dailyLimit, saved?.recallGapSeconds], [500, 5_400])
  }))

it.effect(
  "says what a preset would do before it is taken, and gives an agent rules of its own",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open({ policy: { recallGapSeconds: 90_000 } })
      yield* Effect.promise(() => server.engine.pauseAll())
      yield* Effect.promise(() =>
        server.engine.calls.start({
          agentId: server.agentId,
          phoneNumber: "+14155550101",
          variables: { day: "Monday" },
          expiresAt: new Date(Date.now() + 60 * 86_400_000)
        })
      )
      const page = yield* ConsoleServer.openPage(server, "hours")
      const policy = Effect.promise(async () => (await server.engine.settings.get()).policy)
      const save = async () => {
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("alertdialog").getByRole("button", { name: "Save" }).click()
        await page.getByText("The rules are saved").last().waitFor()
        await page.getByRole("button", { name: "Save" }).and(page.locator(":disabled")).waitFor()
      }
      yield* Effect.promise(async () => {
        await page.getByLabel("Country or state").press("Enter")
        await page.getByRole("option", { name: /Germany/ }).click()
        const gap = page.getByRole("row", { name: /Gap between two calls/ })
        await gap.getByText("25 h").nth(1).waitFor()
        await page.getByRole("row", { name: /Calling hours/ }).getByText("Saturday 09:00\u201318:00").nth(1).waitFor()
        await page.getByRole("heading", { name: "Waiting calls after narrowing" }).waitFor()
      })
      yield* isSound(page, "console-preset")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Narrow my rules" }).click()
        await page.getByRole("group", { name: "Sunday", exact: true }).getByText("Closed").waitFor()
      })
      assert.deepStrictEqual(yield* policy, { recallGapSeconds: 90_000 })
      yield* Effect.promise(save)
      const narrowed = yield* policy
      assert.deepStrictEqual(narrowed?.callingHours?.sat, [{ start: "09:00", end: "18:00" }])
      assert.strictEqual(narrowed?.recallGapSeconds, 90_000)

      yield* Effect.promise(async () => {
        await page.getByLabel("Rules of").press("Enter")
        await page.getByRole("option", { name: "Ada" }).click()
        await page.getByText("This agent has the hours of the account").waitFor()
        await page.getByRole("slider", { name: "Saturday, window 1: start" }).press("Delete")
        await page.getByText("This agent has other hours than the account").waitFor()
        await page.getByLabel("Gap between two calls").fill("soon")
        await page.getByLabel("Gap between two calls").and(page.locator("[aria-invalid=true]")).waitFor()
        await page.getByLabel("Gap between two calls").fill("2 d")
        await page.getByLabel("Gap between two calls").and(page.locator("[aria-invalid=true]")).waitFor({
          state: "detached"
        })
        await page.getByLabel("Phone number").fill("+14155550109")
        await page.getByRole("button", { name: "Preview" }).click()
        await page.getByRole("columnheader", { name: "Verdict" }).waitFor()
      })
      yield* isSound(page, "console-agent-hours")
      yield* Effect.promise(save)
      const own = (yield* policy)?.agents?.[server.agentId]
      assert.deepStrictEqual([own?.callingHours?.sat, own?.recallGapSeconds], [undefined, 172_800])
      assert.deepStrictEqual((yield* policy)?.callingHours, narrowed?.callingHours)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Use the hours of the account" }).click()
        await page.getByText("This agent has the hours of the account").waitFor()
        await save()
      })
      assert.deepStrictEqual((yield* policy)?.agents?.[server.agentId], { recallGapSeconds: 172_800 })
    }),
  120_000
)

it.effect("shows the rules to operators, who cannot change them, also on a narrow screen", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open({ policy: {} })
    const page = yield* ConsoleServer.openPage(server, "hours", {
      role: "operator",
      viewport: { width: 360, height: 740 }
    })
    yield* Effect.promise(async () => {
      await page.getByText("Your role may see the rules").waitFor()
      assert.strictEqual(await page.getByRole("slider").count(), 0)
      assert.strictEqual(await page.getByRole("button", { name: "Save" }).count(), 0)
      assert.isAtMost(await Browser.contentWidth(page), 360)
    })
    yield* isSound(page, "console-hours-narrow")
    assert.deepStrictEqual(Browser.complaints(page), [])
  }))
