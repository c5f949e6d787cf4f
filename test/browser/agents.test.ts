import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"
import * as Keyboard from "./support/Keyboard.ts"

it.effect("checks an agent while it is written, saves it, compares its versions, talks to it and rehearses it", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    const page = yield* ConsoleServer.openPage(server, "agents")
    const stored = Effect.promise(() => server.engine.agents.get(server.agentId))
    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("row", { name: /Ada/ }))
      await Keyboard.write(page.getByLabel("Script"), "Hello {{contact.name}}, on {{1st}}")
      await page.getByText("no call can fill").waitFor()
      await Keyboard.write(
        page.getByLabel("Script"),
        "Hello {{contact.name}}, this is Ada about {{topic}} on {{day}}.\n<b>Bye</b>"
      )
      await page.getByText("no call can fill").waitFor({ state: "detached" })
      await Keyboard.press(page.getByRole("button", { name: "Add a question" }))
      await page.keyboard.type("<img src=x onerror=alert(1)>")
    })
    yield* isSound(page, "console-agent")

    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("link", { name: "Now" }))
      await Keyboard.confirm(page, "Cancel")
      await Keyboard.press(page.getByRole("button", { name: "Save" }))
      await page.getByText("The agent is saved").waitFor()
    })
    const saved = yield* stored
    assert.strictEqual(saved.version, 2)
    assert.deepStrictEqual(saved.questions, ["Will you come on Tuesday?", "<img src=x onerror=alert(1)>"])

    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("tab", { name: "Versions" }))
      const changed = page.getByRole("row", { name: /Removed.*your visit.*Added.*topic/s })
      await changed.waitFor()
      await page.getByText("<b>Bye</b>").waitFor()
    })
    yield* isSound(page, "console-agent-versions")

    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("tab", { name: "Talk" }))
      await Keyboard.write(page.getByLabel("Contact\u2019s name"), "Grace")
      await Keyboard.write(page.getByLabel("topic"), "your visit")
      await Keyboard.write(page.getByLabel("day"), "Monday")
      await page.keyboard.press("Enter")
      await page.getByRole("log").getByText("Hello Grace, this is Ada about your visit").waitFor()
      await Keyboard.write(page.getByLabel("Your answer"), "<i>Yes</i>, I will")
      await page.keyboard.press("Enter")
      await page.getByRole("log").getByText("<i>Yes</i>, I will").first().waitFor()
    })
    yield* isSound(page, "console-agent-talk")

    yield* Effect.promise(async () => {
      await Keyboard.press(page.getByRole("button", { name: "Hang up" }))
      await page.getByText("The conversation is over").waitFor()
      await Keyboard.press(page.getByRole("tab", { name: "Rehearse" }))
      const panel = page.getByRole("tabpanel", { name: "Rehearse" })
      await Keyboard.write(panel.getByLabel("topic"), "your visit")
      await Keyboard.write(panel.getByLabel("day"), "Monday")
      await Keyboard.write(page.getByLabel("Calls", { exact: true }), "1000")
      await Keyboard.press(page.getByRole("button", { name: "Rehearse" }))
      await page.getByText("runs must be 1 to 100").first().waitFor()
      await Keyboard.write(page.getByLabel("Calls", { exact: true }), "2")
      await Keyboard.press(page.getByRole("button", { name: "Rehearse" }))
      await page.getByRole("heading", { name: "Report" }).waitFor()
      await Keyboard.press(page.getByRole("button", { name: /willing/ }))
      await page.getByText("Hello", { exact: false }).first().waitFor()
    })
    yield* isSound(page, "console-agent-rehearsal")
    // No conversation became a call.
    assert.deepStrictEqual((yield* Effect.promise(() => server.engine.calls.list())).items, [])
  }))

it.effect("creates an agent, archives it, and hides texts from other roles", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    const page = yield* ConsoleServer.openPage(server, "agents/new", { viewport: { width: 360, height: 740 } })
    yield* Effect.promise(async () => {
      await Keyboard.write(page.getByLabel("Name", { exact: true }), "Grace")
      await Keyboard.write(page.getByLabel("Script"), "Hello")
      await Keyboard.press(page.getByRole("button", { name: "Add a disposition" }))
      await Keyboard.write(page.getByLabel("Disposition 1", { exact: true }), "reached")
      const problem = page.getByText("must be 3 to 120 seconds", { exact: true })
      await Keyboard.write(page.getByLabel("Longest silence"), "1000")
      await problem.waitFor()
      assert.isAtMost(await Browser.contentWidth(page), 360)
      // What the server said of an earlier draft keeps no mended one from being saved, however late its next answer comes.
      const answers = Promise.withResolvers<void>()
      await page.route("**/agents/check", async (route) => {
        await answers.promise
        await route.continue()
      })
      const asked = page.waitForRequest("**/agents/check")
      await Keyboard.write(page.getByLabel("Longest silence"), "12")
      await asked
      await problem.waitFor({ state: "detached" })
      await Keyboard.press(page.getByRole("button", { name: "Save" }))
      await page.getByRole("tab", { name: "Versions" }).waitFor()
      answers.resolve()
      await page.unrouteAll({ behavior: "ignoreErrors" })
    })
    const grace = yield* Effect.promise(() => server.engine.agents.byName("Grace"))
    assert.deepStrictEqual([grace.silenceSeconds, grace.dispositions], [12, ["reached"]])
    yield* Effect.promise(async () => {
      // The message does not cover the buttons.
      await page.getByRole("region", { name: "Messages" }).waitFor()
      await Keyboard.press(page.getByRole("button", { name: "Archive" }))
      await Keyboard.confirm(page, "Archive")
      await page.getByText("The agent is archived").waitFor()
    })
    const names = (yield* Effect.promise(() => server.engine.agents.list())).map(({ name }) => name)
    assert.deepStrictEqual(names, ["Ada"])

    const viewer = yield* ConsoleServer.openPage(server, `agents/${server.agentId}`, { role: "viewer" })
    yield* Effect.promise(async () => {
      await viewer.getByText("shown to administrators only").waitFor()
      assert.deepStrictEqual(await viewer.getByRole("tab").allTextContents(), ["Agent"])
      assert.notInclude(await viewer.content(), "this is Ada about")
    })
    assert.deepStrictEqual([...Browser.complaints(page), ...Browser.complaints(viewer)], [])
  }))
