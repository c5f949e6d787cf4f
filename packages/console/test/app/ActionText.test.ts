import { assert, describe, it } from "@effect/vitest"
import { Api } from "@outdial/http"
import { HttpApi } from "effect/http-api"
import { actionText } from "../../app/src/pages/audit/ActionText.ts"
import { de } from "../../app/src/texts/de.ts"
import { en } from "../../app/src/texts/en.ts"
import { AccessApi } from "../../src/access/AccessApi.ts"
import * as Audited from "../../src/access/Audited.ts"
import { ConsoleApi } from "../../src/api/ConsoleApi.ts"

const languages = { de, en }

const actions: Array<string> = []
const add = (route: Audited.Route) => {
  if (Audited.isChange(route)) actions.push(Audited.actionOf(route))
}
HttpApi.reflect(ConsoleApi, { onGroup: () => {}, onEndpoint: add })
HttpApi.reflect(AccessApi, { onGroup: () => {}, onEndpoint: add })
HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: add })

describe("The sentences of the audit log", () => {
  it("are there in each language for every change of the console and of /v1", () => {
    // The start of a session is recorded with it, under `session.open`. The other actions are those of the command line.
    const recorded = [...actions.filter((action) => action !== "link.open"), "session.open", "console.link"]
    assert.includeMembers(recorded, ["switches.pauseAll", "links.create", "calls.start"])
    for (const action of recorded) {
      for (const [language, { audit }] of Object.entries(languages)) {
        assert.isDefined(actionText({ action, details: {} }, audit.actions), `${action} in ${language}`)
      }
    }
  })

  it("tell a pause from a resume, and leave an unknown action to its code", () => {
    for (const action of ["accounts.change", "switches.pause", "switches.pauseAll"]) {
      for (const { audit } of Object.values(languages)) {
        const texts = [{}, { paused: true }, { paused: false }].map((details) =>
          actionText({ action, details }, audit.actions)
        )
        assert.strictEqual(new Set(texts).size, 3, action)
      }
    }
    assert.isUndefined(actionText({ action: "other.change", details: {} }, en.audit.actions))
  })
})
