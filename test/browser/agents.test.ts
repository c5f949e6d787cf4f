import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "./support/Browser.ts"
import * as ConsoleServer from "./support/ConsoleServer.ts"
import { isSound } from "./support/IsSound.ts"

it.effect("checks an agent while it is written, saves it, compares its versions, talks to it and rehearses it", () =>
  Effect.gen(function*() {
    const server = yield* ConsoleServer.open()
    const page = yield* ConsoleServer.openPage(server, "agents")
    const stored = Effect.promise(() => server.engine.agents.get(server.agentId))
    yield* Effect.promise(async () => {
      await page.getByRole("row", { name: /Ada/ }).press("Enter")
      await page.getByLabel("Script").fill("Hello {{contact.name}}, on {{1st}}")
      await page.getByText("no call can fill").waitFor()
      await page.getByLabel("Script").fill(
        "Hello {{contact.name}}, this is Ada about {{topic}} on {{day}}.\n<b>Bye</b>"
      )
      await page.getByText("no call can fill").waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Add a question" }).press("Enter")
      await page.keyboard.type("<img src=x onerror=alert(1)>")
    })
    yield* isSound(page, "console-agent")

    yield* Effect.promise(async () => {
      await page.getByRole("link", { name: "Now" }).click()
      await page.getByRole("alertdialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" })
        .click()
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("The agent is saved").waitFor()
    })
    const saved = yield* stored
    assert.strictEqual(saved.version, 2)
    assert.deepStrictEqual(saved.questions, ["Will you come on Tuesday?", "<img src=x onerror=alert(1)>"])

    yield* Effect.promise(async () => {
      await page.getByRole("tab", { name: "Versions" }).click()
      const changed = page.getByRole("row", { name: /Removed.*your visit.*Added.*topic/s })
      await changed.waitFor()
      await page.getByText("<b>Bye</b>").waitFor()
    })
    yield* isSound(page, "console-agent-versions")

    yield* Effect.promise(async () => {
      await page.getByRole("tab", { name: "Talk" }).click()
      await page.getByLabel("Contact\u2019s name").fill("Grace")
      await page.getByLabel("topic").fill("your visit")
      await page.getByLabel("day").fill("Monday")
      await page.keyboard.press("Enter")
      await page.getByRole("log").getByText("Hello Grace, this is Ada about your visit").waitFor()
      await page.getByLabel("Your answer").fill("<i>Yes</i>, I will")
      await page.keyboard.press("Enter")
      await page.getByRole("log").getByText("<i>Yes</i>, I will").first().waitFor()
    })
    yield* isSound(page, "console-agent-talk")

    yield* Effect.promise(async () => {
      await page.getByRole("button", { name: "Hang up" }).click()
      await page.getByText("The conversation is over").waitFor()
      await page.getByRole("tab", { name: "Rehearse" }).click()
      const panel = page.getByRole("tabpanel", { name: "Rehearse" })
      await panel.getByLabel("topic").fill("your visit")
      await panel.getByLabel("day").fill("Monday")
      await page.getByLabel("Calls", { exact: true }).fill("1000")
      await page.getByRole("button", { name: "Rehearse" }).click()
      await page.getByText("runs must be 1 to 100").first().waitFor()
      await page.getByLabel("Calls", { exact: true }).fill("2")
      await page.getByRole("button", { name: "Rehearse" }).click()
      await page.getByRole("heading", { name: "Report" }).waitFor()
      await page.getByRole("button", { name: /willing/ }).click()
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
      await page.getByLabel("Name", { exact: true }).fill("Grace")
      await page.getByLabel("Script").fill("Hello")
      await page.getByLabel("Longest silence").fill("1000")
      await page.getByText("must be 3 to 120 seconds", { exact: true }).waitFor()
      await page.getByLabel("Longest silence").fill("12")
      await page.getByRole("button", { name: "Add a disposition" }).click()
      await page.getByLabel("Disposition 1", { exact: true }).fill("reached")
      assert.isAtMost(await Browser.contentWidth(page), 360)
      await page.getByText("must be 3 to 120 seconds", { exact: true }).waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("tab", { name: "Versions" }).waitFor()
    })
    const grace = yield* Effect.promise(() => server.engine.agents.byName("Grace"))
    assert.deepStrictEqual([grace.silenceSeconds, grace.dispositions], [12, ["reached"]])
    yield* Effect.promise(async () => {
      // The message does not cover the buttons.
      await page.getByRole("region", { name: "Messages" }).waitFor()
      await page.getByRole("button", { name: "Archive" }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Archive" }).click()
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
