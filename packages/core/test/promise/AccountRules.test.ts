import { assert, it } from "@effect/vitest"
import { OutcomeSource, Outdial, OutdialError } from "@outdial/core"
import { Effect, Layer } from "effect"
import { describe } from "vitest"

const ada = { name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }
const open = { callingHours: null, recallGapSeconds: 0, numberLimits: [] }
const number = "+14155550100"

/** An engine for the test, closed after it. */
const opened = (options: Outdial.Options = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => Outdial.open({ agents: [ada], policy: open, ...options })),
    (engine) => Effect.promise(() => engine.close())
  )

const requestFor = Effect.fnUntraced(function*(engine: Outdial.Outdial) {
  const [agent] = yield* Effect.promise(() => engine.agents.list())
  return { agentId: agent?.id ?? "", phoneNumber: number }
})

const rejection = (promise: () => Promise<unknown>) =>
  Effect.map(
    Effect.flip(Effect.tryPromise({ try: promise, catch: (error) => error as OutdialError })),
    ({ code, details }) => ({ code, details })
  )

/** Where the problems of a refused request lie. */
const pathsOf = ({ details }: { readonly details: Readonly<Record<string, unknown>> }) =>
  (details["problems"] as ReadonlyArray<{ readonly path: ReadonlyArray<unknown> }>).map(({ path }) => path.join("."))

describe("rules and settings for hosts without Effect", () => {
  it.live("reads numbers without a country by the policy's default country, wherever a number is given", () =>
    Effect.gen(function*() {
      const engine = yield* opened({ lines: 0, policy: { ...open, defaultCountry: "US" } })
      const { agentId } = yield* requestFor(engine)
      const written = "(415) 555-0100"
      const call = yield* Effect.promise(() => engine.calls.start({ agentId, phoneNumber: written }))
      assert.strictEqual(call.phoneNumber, number)
      const batch = yield* Effect.promise(() =>
        engine.batches.start({ agentId, calls: [{ phoneNumber: "415.555.0101" }, { phoneNumber: "911" }] })
      )
      assert.deepStrictEqual(batch.calls?.map(({ phoneNumber }) => phoneNumber), ["+14155550101"])
      assert.deepStrictEqual(batch.rejected?.map(({ phoneNumber }) => phoneNumber), ["911"])
      const preview = yield* Effect.promise(() => engine.rules.preview({ phoneNumber: written }))
      assert.deepInclude(preview, { phoneNumber: number, code: "call_already_queued" })
      const listed = yield* Effect.promise(() => engine.calls.list({ phoneNumber: written }))
      assert.deepStrictEqual(listed.items.map(({ id }) => id), [call.id])
      const imported = yield* Effect.promise(() =>
        engine.doNotCall.importLines(["phone,name", "\"(415) 555-0102\",A", "911,B"])
      )
      assert.deepStrictEqual([imported.added, imported.rejected.map(({ line }) => line)], [1, [3]])
      yield* Effect.promise(() => engine.doNotCall.add([written]))
      assert.strictEqual(
        (yield* Effect.promise(() => engine.doNotCall.get("415-555-0102"))).phoneNumber,
        "+14155550102"
      )
      yield* Effect.promise(() => engine.doNotCall.remove("415-555-0102"))
      assert.strictEqual((yield* rejection(() => engine.doNotCall.get("+14155550102"))).code, "not_found")
      const erased = yield* Effect.promise(() => engine.callees.erase(written))
      assert.deepInclude(erased, { calls: 1, doNotCall: true })
      for (const text of ["911", "5550100", "9".repeat(30), "four"]) {
        const refused = yield* rejection(() => engine.calls.start({ agentId, phoneNumber: text }))
        assert.deepStrictEqual([refused.code, pathsOf(refused)], ["invalid_request", ["phoneNumber"]], text)
      }
      assert.strictEqual(
        (yield* rejection(() => engine.settings.set({ policy: { defaultCountry: "ZZ" } }))).code,
        "invalid_request"
      )
      yield* Effect.promise(() => engine.settings.set({ policy: open }))
      const refused = yield* rejection(() => engine.calls.start({ agentId, phoneNumber: "(415) 555-0103" }))
      assert.deepStrictEqual([refused.code, pathsOf(refused)], ["invalid_request", ["phoneNumber"]])
    }))

  it.live("reads the transcript of a call", () =>
    Effect.gen(function*() {
      const engine = yield* opened()
      const request = yield* requestFor(engine)
      const { id, outcome } = yield* Effect.promise(() => engine.calls.start({ ...request, test: true }))
      const turns = (outcome?.transcript ?? []).map((turn, index) => ({ sequence: index + 1, ...turn }))
      assert.deepStrictEqual(yield* Effect.promise(() => engine.calls.transcript(id)), {
        object: "transcript",
        callId: id,
        sealed: true,
        turns
      })
      const rest = yield* Effect.promise(() => engine.calls.transcript(id, { after: 1 }))
      assert.deepStrictEqual(rest.turns, turns.slice(1))
      assert.strictEqual((yield* rejection(() => engine.calls.transcript("call_nope"))).code, "not_found")
      const wrong = yield* rejection(() => engine.calls.transcript(id, { after: -1 }))
      assert.deepStrictEqual([wrong.code, pathsOf(wrong)], ["invalid_request", ["after"]])
    }))

  it.live("explains what holds a waiting call, or one that is not queued", () =>
    Effect.gen(function*() {
      const engine = yield* opened({ lines: 0 })
      const request = yield* requestFor(engine)
      const notBefore = new Date(Date.now() + 86_400_000)
      const contact = { timeZone: "Asia/Tokyo" }
      const preview = yield* Effect.promise(() =>
        engine.rules.preview({ ...request, contact, notBefore: notBefore.toISOString() })
      )
      assert.deepInclude(preview, { decision: "wait", code: "not_before", scheduledFor: notBefore })
      assert.instanceOf(preview.at, Date)
      assert.deepStrictEqual(preview.timeZones, ["Asia/Tokyo"])
      assert.deepStrictEqual(preview.rules.find(({ rule }) => rule === "not_before"), {
        rule: "not_before",
        allows: false,
        nextAllowedAt: notBefore,
        data: { not_before: notBefore.toISOString() }
      })
      const { id } = yield* Effect.promise(() => engine.calls.start(request))
      const explained = yield* Effect.promise(() => engine.calls.explain(id))
      assert.deepInclude(explained, { callId: id, callStatus: "queued", decision: "wait", code: "lines_busy" })
      assert.deepInclude(yield* Effect.promise(() => engine.rules.preview(request)), {
        decision: "refuse",
        code: "call_already_queued"
      })
      assert.strictEqual((yield* rejection(() => engine.calls.explain("call_nope"))).code, "not_found")
      const wrong = yield* rejection(() => engine.rules.preview({ phoneNumber: "x", contact: { timeZone: "" } }))
      assert.deepStrictEqual([wrong.code, pathsOf(wrong)], ["invalid_request", ["phoneNumber", "contact.timeZone"]])
      const nowhere = yield* rejection(() =>
        engine.rules.preview({ ...request, contact: { timeZone: "Mars/Olympus" } })
      )
      assert.deepStrictEqual([nowhere.code, pathsOf(nowhere)], ["invalid_request", ["contact.timeZone"]])
    }))

  it.live("keeps the do-not-call list", () =>
    Effect.gen(function*() {
      const engine = yield* opened({ lines: 0 })
      const { calls, doNotCall } = engine
      const request = yield* requestFor(engine)
      const { id } = yield* Effect.promise(() => calls.start(request))
      const numbers = ["+1 (415) 555-0100", "+14155550101", number]
      assert.deepStrictEqual(yield* Effect.promise(() => doNotCall.add(numbers)), { added: 2, canceled: 1 })
      assert.deepInclude(yield* Effect.promise(() => calls.get(id)), { status: "canceled", statusCode: "do_not_call" })
      assert.deepStrictEqual(yield* rejection(() => calls.start(request)), { code: "number_do_not_call", details: {} })
      const entry = yield* Effect.promise(() => doNotCall.get(number))
      assert.instanceOf(entry.createdAt, Date)
      assert.deepInclude(entry, { phoneNumber: number, source: "api" })
      const first = yield* Effect.promise(() => doNotCall.list({ limit: 1 }))
      const rest = yield* Effect.promise(() => doNotCall.list({ limit: 1, cursor: first.nextCursor ?? "" }))
      assert.deepStrictEqual([...first.items, ...rest.items].map(({ phoneNumber }) => phoneNumber), [
        "+14155550101",
        number
      ])
      assert.deepStrictEqual([first.hasMore, rest.hasMore, rest.nextCursor], [true, false, null])
      yield* Effect.promise(() => doNotCall.remove(number))
      yield* Effect.promise(() => doNotCall.remove(number))
      assert.strictEqual((yield* rejection(() => doNotCall.get(number))).code, "not_found")
      assert.strictEqual((yield* Effect.promise(() => calls.start(request))).status, "queued")
    }))

  it.live("adds all numbers or none, and imports the lines that hold one", () =>
    Effect.gen(function*() {
      const { doNotCall } = yield* opened()
      const refused = yield* rejection(() => doNotCall.add([number, "x", "+1"]))
      assert.deepStrictEqual([refused.code, pathsOf(refused)], ["invalid_request", [
        "phoneNumbers.1",
        "phoneNumbers.2"
      ]])
      assert.strictEqual((yield* rejection(() => doNotCall.get(number))).code, "not_found")
      const imported = yield* Effect.promise(() => doNotCall.importLines(["# ours", "", ` ${number} # Ada`, "x"]))
      assert.deepInclude(imported, { added: 1, canceled: 0 })
      assert.deepStrictEqual(imported.rejected.map(({ line, text }) => [line, text]), [[4, "x"]])
      assert.strictEqual((yield* Effect.promise(() => doNotCall.get(number))).source, "import")
      const wrong = [null, "x", [5]] as unknown as ReadonlyArray<ReadonlyArray<string>>
      for (const numbers of wrong) {
        assert.strictEqual((yield* rejection(() => doNotCall.add(numbers))).code, "invalid_request")
        assert.strictEqual((yield* rejection(() => doNotCall.importLines(numbers))).code, "invalid_request")
      }
    }))

  it.live("imports the first column of a CSV, without its header", () =>
    Effect.gen(function*() {
      const { doNotCall } = yield* opened()
      const lines = ["phone,reason", "+14155550101,asked", "\"+1 415 555 0102\";asked", "", ",asked"]
      const imported = yield* Effect.promise(() => doNotCall.importLines(lines))
      assert.strictEqual(imported.added, 2)
      assert.deepStrictEqual(imported.rejected.map(({ line, text }) => [line, text]), [[5, ",asked"]])
      const { items } = yield* Effect.promise(() => doNotCall.list())
      assert.sameMembers(items.map(({ phoneNumber }) => phoneNumber), ["+14155550101", "+14155550102"])
    }))

  const form =
    "lines hold no telephone number: give one on each line, such as +14155550100, or a CSV with the number in the first column"
  const imports: ReadonlyArray<readonly [lines: ReadonlyArray<string>, message: string]> = [
    [["asked", "x,+14155550101"], `${form}; line 2 has "x"`],
    [["x"], form],
    [["phone_number"], form],
    [["four one five"], form],
    [["415"], `${form}; line 1 has "415"`],
    [[""], form],
    [[], form],
    [["", "# comment"], form]
  ]
  it.live.each(imports)(
    "rejects an import in which no line holds a number: %j",
    ([lines, message]) =>
      Effect.gen(function*() {
        const { doNotCall } = yield* opened()
        const refused = yield* rejection(() => doNotCall.importLines(lines))
        assert.deepStrictEqual([refused.code, refused.details["problems"]], [
          "invalid_request",
          [{ path: ["lines"], message: message.replace(/^lines /, "") }]
        ])
      })
  )

  it.live("reads and sets the account's settings; what is not given stays", () =>
    Effect.gen(function*() {
      const { settings } = yield* opened()
      const before = yield* Effect.promise(() => settings.get())
      assert.instanceOf(before.createdAt, Date)
      assert.deepInclude(before, { name: "default", lines: 5, paused: false, policy: open })
      assert.doesNotHaveAnyKeys(before, ["epoch", "planVersion"])
      const given = { paused: true, name: undefined, policy: undefined } as unknown as { readonly paused: boolean }
      assert.deepStrictEqual(yield* Effect.promise(() => settings.set(given)), { ...before, paused: true })
      const policy = { timeZone: "Europe/Paris", dailyLimit: undefined }
      const set = yield* Effect.promise(() => settings.set({ policy: policy as unknown as object, lines: 7 }))
      assert.deepStrictEqual(set, { ...before, paused: true, lines: 7, policy: { timeZone: "Europe/Paris" } })
      assert.deepStrictEqual(yield* Effect.promise(() => settings.get()), set)
    }))

  it.live("refuses invalid settings, and names the field", () =>
    Effect.gen(function*() {
      const { settings } = yield* opened()
      const before = yield* Effect.promise(() => settings.get())
      const wrong: ReadonlyArray<readonly [unknown, string]> = [
        [{ pause: true }, "pause"],
        [{ paused: "yes" }, "paused"],
        [{ lines: -1 }, "lines"],
        [{ lines: 1.5 }, "lines"],
        [{ name: "" }, "name"],
        [{ policy: null }, "policy"],
        [{ policy: { recallGap: 5 } }, "policy.recallGap"],
        [{ policy: { timeZone: "Mars/Olympus" } }, "policy.timeZone"],
        [JSON.parse("{\"__proto__\": {\"paused\": true}}"), "__proto__"]
      ]
      for (const [given, path] of wrong) {
        const refused = yield* rejection(() => settings.set(given as { readonly paused: boolean }))
        assert.deepStrictEqual([refused.code, pathsOf(refused)], ["invalid_request", [path]])
      }
      assert.deepStrictEqual(yield* Effect.promise(() => settings.get()), before)
    }))

  it.live("returns a Date when a number may be called again, alone and in batches", () =>
    Effect.gen(function*() {
      const engine = yield* opened({
        speed: 1000,
        policy: { ...open, numberLimits: [{ max: 1, windowSeconds: 86_400 }] }
      })
      const request = yield* requestFor(engine)
      const { id } = yield* Effect.promise(() => engine.calls.start(request))
      yield* Effect.promise(() => engine.calls.get(id)).pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ times: 200, until: ({ status }) => status !== "queued" })
      )
      const refused = yield* rejection(() => engine.calls.start(request))
      assert.strictEqual(refused.code, "number_limit_reached")
      assert.instanceOf(refused.details["retryAt"], Date)
      const batch = yield* Effect.promise(() => engine.batches.start({ calls: [request] }))
      const [row] = batch.rejected ?? []
      assert.deepStrictEqual([row?.code, row?.retryAt], ["number_limit_reached", refused.details["retryAt"]])
      assert.deepStrictEqual(
        yield* Effect.promise(() => engine.batches.get(batch.id)).pipe(
          Effect.map(({ rejected }) => rejected)
        ),
        batch.rejected
      )
    }))

  it.live("puts a callee who asks for it on the list", () =>
    Effect.gen(function*() {
      const outcomes = Layer.succeed(OutcomeSource.OutcomeSource, {
        make: (conversation) => Effect.succeed({ ...OutcomeSource.sample(conversation), doNotCall: true })
      })
      const engine = yield* opened({ speed: 1000, outcomes })
      const request = yield* requestFor(engine)
      const { id } = yield* Effect.promise(() => engine.calls.start(request))
      const call = yield* Effect.promise(() => engine.calls.get(id)).pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ times: 200, until: ({ outcome }) => outcome !== null })
      )
      assert.isTrue(call.outcome?.doNotCall)
      const entry = yield* Effect.promise(() => engine.doNotCall.get(number))
      assert.deepInclude(entry, { source: "call", callId: id })
    }))

  it.live("returns why a batch was refused", () =>
    Effect.gen(function*() {
      const engine = yield* opened()
      const { code, details } = yield* rejection(() => engine.batches.start({ calls: [] }))
      assert.deepStrictEqual([code, pathsOf({ details })], ["invalid_request", ["calls"]])
      const calls = Array.from({ length: 1001 }, () => ({}))
      assert.deepStrictEqual(yield* rejection(() => engine.batches.start({ calls })), {
        code: "batch_too_large",
        details: { maxRows: 1000 }
      })
    }))
})
