import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"
import * as Keyboard from "./support/Keyboard.ts"

const allDay = [{ start: "09:00", end: "20:00" }]

it.effect(
  "changes the week by keyboard and by pointer, and shows the effect on waiting calls before it is saved",
  () =>
    Effect.gen(function*() {
      const server = yield* ConsoleServer.open({ policy: {}, workers: "manual" })
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
        await Keyboard.reach(start)
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

        await Keyboard.press(page.getByRole("slider", { name: "Sunday, window 1: end" }), "Delete")
        await page.getByRole("group", { name: "Sunday", exact: true }).getByText("Closed").waitFor()

        await Keyboard.write(page.getByLabel("Calls per day"), "many")
        await page.getByLabel("Calls per day").and(page.locator("[aria-invalid=true]")).waitFor()
        await Keyboard.write(page.getByLabel("Calls per day"), "500")
        await Keyboard.write(page.getByLabel("Gap between two calls"), "90 min")
        await Keyboard.choose(page.getByRole("button", { name: "Country or state" }), /Germany/)
        await page.getByText(/which the preset .*does not allow/).first().waitFor()
        await page.getByRole("heading", { name: "Effect on waiting calls" }).waitFor()
        await page.getByRole("heading", { name: "Waiting calls after narrowing" }).waitFor()
        await page.evaluate("scrollTo(0, 0)")
      })
      yield* isSound(page, "console-hours")
      assert.deepStrictEqual(yield* policy, {})

      yield* Effect.promise(async () => {
        await Keyboard.write(page.getByLabel("Phone number"), "12")
        await page.keyboard.press("Enter")
        await page.getByLabel("Phone number").and(page.locator("[aria-invalid=true]")).waitFor()
        await Keyboard.write(page.getByLabel("Phone number"), "+4930123456")
        await Keyboard.press(page.getByRole("button", { name: "Preview" }))
        await page.getByRole("columnheader", { name: "Verdict" }).waitFor()

        await Keyboard.press(page.getByRole("button", { name: "Save" }))
        await page.getByRole("alertdialog").getByText("Are held for later").waitFor()
        await Keyboard.confirm(page, "Save")
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

      // What else there is, by its buttons.
      const saveIsIdle = () =>
        page.getByRole("button", { name: "Save" }).and(page.locator("[aria-disabled=true], :disabled")).waitFor()
      const day = (name: string) => page.getByRole("group", { name, exact: true })
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Add a window on Sunday" }))
        await day("Sunday").getByRole("slider").first().waitFor()
        await Keyboard.press(page.getByRole("button", { name: "Close Monday" }))
        await day("Monday").getByText("Closed").waitFor()
        await Keyboard.press(page.getByRole("button", { name: "Discard" }))
        await day("Sunday").getByText("Closed").waitFor()
        await Keyboard.press(page.getByRole("button", { name: "Copy Tuesday to all days" }))
        await Keyboard.press(page.getByRole("button", { name: "Add a limit" }))
        await Keyboard.write(page.getByLabel("Calls of limit 1"), "2")
        await Keyboard.press(page.getByRole("checkbox", { name: "Refuse numbers that no range is known for" }), "Space")
        await Keyboard.write(page.getByLabel("Delete calls after days"), "90")
        await Keyboard.press(page.getByRole("button", { name: "Save" }))
        await Keyboard.confirm(page, "Save")
        await saveIsIdle()
      })
      const copied = yield* policy
      assert.deepStrictEqual(
        new Set(Object.values(copied?.callingHours ?? {}).map((windows) => JSON.stringify(windows))).size,
        1
      )
      assert.deepStrictEqual(copied?.callingHours?.sun, saved?.callingHours?.tue)
      const limits = copied?.numberLimits ?? []
      assert.deepStrictEqual([limits.length, limits[0]?.max, limits[2]], [3, 2, { max: 3, windowSeconds: 86_400 }])
      assert.deepStrictEqual([copied?.requireValidNumbers, copied?.retention], [true, { callDays: 90 }])
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Remove limit 3" }))
        await Keyboard.press(page.getByRole("checkbox", { name: "Any time: no calling hours" }), "Space")
        await page.getByRole("group", { name: "Monday", exact: true }).waitFor({ state: "detached" })
        await Keyboard.press(page.getByRole("button", { name: "Save" }))
        await Keyboard.confirm(page, "Save")
        await saveIsIdle()
      })
      const open = yield* policy
      assert.deepStrictEqual([open?.callingHours, open?.numberLimits], [null, limits.slice(0, 2)])
      // What is wrong is told beside the button, which leads to the field.
      yield* Effect.promise(async () => {
        await Keyboard.write(page.getByLabel("Calls per day"), "many")
        await page.getByText("1 field is wrong").waitFor()
        await Keyboard.press(page.getByRole("button", { name: "Save" }))
        await page.locator("input[name=daily_limit]:focus").waitFor()
        await Keyboard.press(page.getByRole("button", { name: "Discard" }))
        await page.getByText("1 field is wrong").waitFor({ state: "detached" })
      })
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Use the default hours" }))
        await Keyboard.press(page.getByRole("button", { name: "Replace my rules" }))
        await Keyboard.press(page.getByRole("button", { name: "Save" }))
        await Keyboard.confirm(page, "Save")
        await saveIsIdle()
      })
      assert.deepStrictEqual((yield* policy)?.callingHours?.sat, [{ start: "09:00", end: "18:00" }])
    }),
  120_000
)

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
        await Keyboard.press(page.getByRole("button", { name: "Save" }))
        await Keyboard.confirm(page, "Save")
        await page.getByRole("button", { name: "Save" }).and(page.locator("[aria-disabled=true], :disabled")).waitFor()
      }
      yield* Effect.promise(async () => {
        await Keyboard.choose(page.getByRole("button", { name: "Country or state" }), /Germany/)
        const gap = page.getByRole("row", { name: /Gap between two calls/ })
        await gap.getByText("25 h").nth(1).waitFor()
        await page.getByRole("row", { name: /Calling hours/ }).getByText("Saturday 09:00\u201318:00").nth(1).waitFor()
        await page.getByRole("heading", { name: "Waiting calls after narrowing" }).waitFor()
      })
      yield* isSound(page, "console-preset")
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Narrow my rules" }))
        await page.getByRole("group", { name: "Sunday", exact: true }).getByText("Closed").waitFor()
      })
      assert.deepStrictEqual(yield* policy, { recallGapSeconds: 90_000 })
      yield* Effect.promise(save)
      const narrowed = yield* policy
      assert.deepStrictEqual(narrowed?.callingHours?.sat, [{ start: "09:00", end: "18:00" }])
      assert.strictEqual(narrowed?.recallGapSeconds, 90_000)

      yield* Effect.promise(async () => {
        await Keyboard.choose(page.getByRole("button", { name: "Rules of" }), "Ada")
        await page.getByText("This agent has the hours of the account").waitFor()
        await Keyboard.press(page.getByRole("slider", { name: "Saturday, window 1: start" }), "Delete")
        await page.getByText("This agent has other hours than the account").waitFor()
        await Keyboard.write(page.getByLabel("Gap between two calls"), "soon")
        await page.getByLabel("Gap between two calls").and(page.locator("[aria-invalid=true]")).waitFor()
        await Keyboard.write(page.getByLabel("Gap between two calls"), "2 d")
        await page.getByLabel("Gap between two calls").and(page.locator("[aria-invalid=true]")).waitFor({
          state: "detached"
        })
        await Keyboard.write(page.getByLabel("Phone number"), "+14155550109")
        await page.keyboard.press("Enter")
        await page.getByRole("columnheader", { name: "Verdict" }).waitFor()
      })
      yield* isSound(page, "console-agent-hours")
      yield* Effect.promise(save)
      const own = (yield* policy)?.agents?.[server.agentId]
      assert.deepStrictEqual([own?.callingHours?.sat, own?.recallGapSeconds], [undefined, 172_800])
      assert.deepStrictEqual((yield* policy)?.callingHours, narrowed?.callingHours)
      yield* Effect.promise(async () => {
        await Keyboard.press(page.getByRole("button", { name: "Use the hours of the account" }))
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
