/** The telephony contract against broken providers: the example's, with one thing wrong in each, none of which may pass. */
import { assert, describe, it } from "@effect/vitest"
import { Telephony } from "@outdial/core"
import { TelephonyContract } from "@outdial/testkit/contracts"
import { Effect, Layer, Logger, Option } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { startCarrier } from "../../examples/custom-telephony/carrier.ts"

/** The example's program without types, imports and comments. */
const source = stripTypeScriptTypes(
  readFileSync(join(import.meta.dirname, "../../examples/custom-telephony/telephony.ts"), "utf8")
).replaceAll(/^import .*$/gm, "").replaceAll(/(^|\s)\/\/ .*$/gm, "").replaceAll(/ +/g, " ").replaceAll(" )", ")")
  .replace("export const ourTelephony =", "return")

type Provider = (url: string) => Layer.Layer<Telephony.Telephony, unknown, TelephonyPorts>
type TelephonyPorts = Layer.Services<ReturnType<typeof Telephony.Telephony.layerOf>>

/** The provider that the text makes. */
const providerOf = (body: string): Provider =>
  // The text is the example's own, which is a function of these.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function("Telephony", "createServer", "text", body)(
    Telephony,
    createServer,
    text
  ) as Provider

const firstBroken = (provider: Provider) =>
  Effect.gen(function*() {
    const carrier = yield* Effect.acquireRelease(
      Effect.promise(startCarrier),
      ({ close }) => Effect.promise(close)
    )
    const farEnd = TelephonyContract.Carrier.layerOf(carrier)
    return yield* TelephonyContract.firstBroken(Layer.merge(provider(carrier.url), farEnd))
  }).pipe(Effect.scoped)

/** Broken providers say much. */
const quiet = Logger.layer([])

/** What is wrong, the text of the example, and what stands in its place. */
const mutants: ReadonlyArray<readonly [fault: string, text: string, instead: string]> = [
  [
    "reports a machine as a person",
    "new Date(value) : value)",
    `new Date(value) : value === "voicemail" ? "human" : value)`
  ],
  [
    "takes each speaker for the other",
    "new Date(value) : value)",
    `new Date(value) : key === "speaker" ? (value === "agent" ? "contact" : "agent") : value)`
  ],
  ["drops the transcript", "new Date(value) : value)", `new Date(value) : key === "transcript" ? [] : value)`],
  ["reads instants in another unit", "new Date(value)", "new Date(Date.parse(value) / 1000)"],
  [
    "leaves out when the call was answered",
    "new Date(value) : value)",
    `key === "answeredAt" ? undefined : new Date(value) : value)`
  ],
  [
    "reports busy lines as unanswered calls",
    "new Date(value) : value)",
    `new Date(value) : value === "busy" ? "no_answer" : value)`
  ],
  ["answers 204 for a report that failed", "taken ? 204 : 503", "204"],
  ["answers before the report is on record", "() => true, () => false)", "() => true, () => false).then(() => true)"],
  [
    "reports no answers",
    "const report = async ({ event, ...call }) =>",
    `const report = async ({ event, ...call }) => event.type === "answered" ? undefined :`
  ],
  [
    "reports no ends",
    "const report = async ({ event, ...call }) =>",
    `const report = async ({ event, ...call }) => event.type === "ended" ? undefined :`
  ],
  [
    "reports each call's end as that of another account",
    "line.report({ ...call,",
    `line.report({ ...call, accountId: "acct_other",`
  ],
  [
    "reports another carrier call than the one of the dial",
    "line.report({ ...call,",
    `line.report({ ...call, carrierCallId: "another",`
  ],
  ["keeps no recording", "if (audio?.ok !== true) return told", "return told"],
  ["says that a recording was kept that was not", "await line.keepRecording(", "true || await line.keepRecording("],
  ["says that nothing was recorded", "recorded: await line.keepRecording(", "recorded: !await line.keepRecording("],
  [
    "keeps no recording that a look-up shows",
    "return withAudio({ accountId, callId }, read(await response.text()))",
    "return read(await response.text())"
  ],
  ["ignores the caller id", "callId, callerId, phoneNumber, script", "callId, phoneNumber, script"],
  [
    "shows the callee's own number",
    "callId, callerId, phoneNumber, script",
    "callId, callerId: phoneNumber, phoneNumber, script"
  ],
  ["continues to dial when it is interrupted", `{ method: "POST", body, signal }`, `{ method: "POST", body }`],
  ["continues to look up when it is interrupted", "/calls/${callId}`, { signal })", "/calls/${callId}`)"],
  ["continues to hang up when it is interrupted", `{ method: "DELETE", signal }`, `{ method: "DELETE" }`],
  ["dials when it is too late", "!mayStillRing()", "false"],
  ["reads HTTP 500 as a refusal", "response.status === 422", "response.status >= 422"],
  ["reads HTTP 500 as no room", "response.status === 503)", "response.status >= 500)"],
  [
    "reads HTTP 500 as a call that was taken",
    "read(await response.text()).id",
    `read(await response.text()).id ?? "none"`
  ],
  ["reads a refusal as no room", `{ failed: "refused",`, `{ failed: "unavailable",`],
  ["does not say why the carrier refused", `, carrierReason: read(await response.text())`, ""],
  [
    "reads no room as a refusal",
    `response.status === 503) return { failed: "unavailable" }`,
    `response.status === 503) return { failed: "refused" }`
  ],
  ["reads a lost answer as nothing sent", `=== "ECONNREFUSED"`, "!== undefined"],
  ["reads every failure as nothing sent", "throw error", "return undefined"],
  [
    "asks again when the answer is lost",
    ".catch(refusedConnection)",
    ".catch(() => fetch(`${url}/calls`, { method: \"POST\", body, signal })).catch(refusedConnection)"
  ],
  [
    "asks twice",
    "const response = await fetch(`${url}/calls`, {",
    "await fetch(`${url}/calls`, { method: \"POST\", body, signal }).catch(refusedConnection); const response = await fetch(`${url}/calls`, {"
  ],
  ["gives all calls one id", "carrierCallId: read(await response.text()).id", `carrierCallId: "line"`],
  ["reads an error of a look-up as a call that is not there", "response.status === 404", "!response.ok"],
  [
    "reads a failed look-up as a call that is not there",
    "fetch(`${url}/calls/${callId}`, { signal })",
    "fetch(`${url}/calls/${callId}`, { signal }).catch(() => ({ status: 404 }))"
  ],
  ["shows calls that are not there as live", `{ status: "not_found" }`, `{ status: "live" }`],
  [
    "looks up by the carrier's id alone",
    "lookUp: async ({ accountId, callId }, { signal }) => {",
    `lookUp: async ({ accountId, callId, carrierCallId }, { signal }) => { if (carrierCallId === undefined) return { status: "not_found" };`
  ],
  [
    "hangs up by the carrier's id alone",
    "hangUp: async ({ callId }, { signal }) => {",
    "hangUp: async ({ callId, carrierCallId }, { signal }) => { if (carrierCallId === undefined) return;"
  ],
  [
    "hangs up nothing",
    `{ method: "DELETE", signal }`,
    "{ signal }"
  ],
  [
    "hangs up all live calls",
    "const callbacks = createServer(",
    `const dialed = new Set(), send = globalThis.fetch
    const fetch = async (to, options) => {
      const [callId] = to.split("/").slice(-1)
      if (options?.method === "POST") dialed.add(JSON.parse(options.body).callId)
      if (options?.method === "DELETE") {
        for (const other of dialed) if (other !== callId) await send(to.replace(callId, other), options)
      }
      return send(to, options)
    }
    const callbacks = createServer(`
  ],
  ["hides a hang-up that failed", "if (!response.ok && response.status !== 404) throw", "if (false) throw"],
  ["keeps one byte of each recording", "bytes })", "bytes: bytes.slice(0, 1) })"],
  ["keeps recordings as web pages", `"audio/wav"`, `"text/html"`],
  [
    "asks again when there was no room",
    ".catch(refusedConnection)",
    ".catch(refusedConnection).then((first) => first?.status === 503 ? fetch(`${url}/calls`, { method: \"POST\", body, signal }) : first)"
  ],
  ["declares no lag", "notFoundLagSeconds: 5", "notFoundLagSeconds: 0"],
  ["declares a lag of a day", "notFoundLagSeconds: 5", "notFoundLagSeconds: 86400"]
]

/** Each has a carrier of its own. */
const concurrency = 8

describe("the telephony contract", () => {
  it.live("is kept by the unchanged example", () =>
    firstBroken(providerOf(source)).pipe(
      Effect.map((broken) => assert.deepStrictEqual(broken, Option.none())),
      Effect.provide(quiet)
    ))

  it.live("finds the fault of every broken provider", () =>
    Effect.gen(function*() {
      for (const [, text] of mutants) assert.lengthOf(source.split(text), 2, `${text} stands in the example once`)
      const survived = yield* Effect.forEach(mutants, ([, text, instead]) =>
        Effect.match(
          firstBroken(providerOf(source.replace(text, () => instead))),
          {
            // A provider that does not open fails when it is used.
            onFailure: () => false,
            onSuccess: Option.isNone
          }
        ), { concurrency })
      assert.deepStrictEqual(mutants.filter((_, index) => survived[index]).map(([fault]) => fault), [])
    }).pipe(Effect.provide(quiet)), 120_000)
})
