import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Layer, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Agent, Errors, Ids, LineReports, PhoneNumber, Recordings, Storage, Telephony } from "../../src/index.ts"

const accountId = Ids.AccountId.make("acct_1")
const callId = Ids.CallId.make("call_1")
const phoneNumber = PhoneNumber.PhoneNumber.make("+14155550100")
const call = { accountId, callId, phoneNumber, submittedAt: DateTime.makeUnsafe("2026-03-02T10:00:00.000Z") }
const request: Telephony.DialRequest = {
  accountId,
  callId,
  phoneNumber,
  contact: {},
  agent: {
    id: Ids.AgentId.make("00000000-0000-4000-8000-000000000001"),
    name: "Ada",
    script: "Hello",
    questions: [],
    dispositions: ["yes"],
    ...Agent.conversationSettings({})
  },
  dialBy: DateTime.makeUnsafe("1970-01-01T00:00:30.000Z")
}

/** A provider that does nothing wrong. */
const provider: Telephony.PromiseTelephony = {
  name: "ours",
  dial: async () => ({ carrierCallId: "line-1" }),
  lookUp: async () => ({ status: "live" }),
  hangUp: async () => {},
  notFoundLagSeconds: 5
}

/** Uses a provider, which is one that does nothing wrong but for these functions. */
const using = <A, E>(
  changed: Partial<Telephony.PromiseTelephony>,
  use: (telephony: Telephony.Telephony["Service"]) => Effect.Effect<A, E>
) =>
  Effect.flatMap(Telephony.Telephony, use).pipe(
    Effect.provide(
      Telephony.Telephony.layerOf(() => ({ ...provider, ...changed })).pipe(
        Layer.provide([Layer.mock(LineReports.LineReports, {}), Recordings.Recordings.layerMemory])
      ),
      { local: true }
    )
  )

/** Connects, and answers what the provider was given. */
const connected = Effect.fnUntraced(function*(
  instruction: LineReports.LineReports["Service"]["report"],
  hangUp: Telephony.PromiseTelephony["hangUp"] = provider.hangUp
) {
  let line: Telephony.HostLine | undefined
  yield* Layer.build(
    Telephony.Telephony.layerOf((given) => {
      line = given
      return { ...provider, hangUp }
    }).pipe(
      Layer.provide([
        Layer.succeed(LineReports.LineReports, {
          report: instruction,
          isOfAnother: () => Effect.succeed(false),
          uncharged: () => Effect.succeed([]),
          callToEnd: ({ accountId, callId }) =>
            Effect.succeed({ accountId, callId, phoneNumber, carrierCallId: Ids.CarrierCallId.make("line-1") })
        }),
        Layer.succeed(Recordings.Recordings, {
          put: () => Effect.fail(new Recordings.RecordingError({ cause: "full" })),
          putStream: () => Effect.die("Nobody asks"),
          remove: () => Effect.die("Nobody asks"),
          has: () => Effect.die("Nobody asks"),
          get: () => Effect.die("Nobody asks")
        })
      ])
    )
  )
  return line ?? assert.fail("The provider was given no line")
})

/** What no type would let pass; hosts write plain JavaScript, too. */
const malformed = <A>(value: unknown) => async () => value as A

describe("Telephony.layerOf", () => {
  it.live("takes the carrier's id and its three certain refusals", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* using({}, ({ dial }) => dial(request)), "line-1")
      for (const failed of ["refused", "unavailable", "not_authorized"] as const) {
        const error = yield* using({ dial: async () => ({ failed }) }, ({ dial }) => Effect.flip(dial(request)))
        assert.strictEqual(error.reason, failed)
        assert.isUndefined(error.carrierReason)
      }
      const carrierReason = { code: "21215", message: "Not to this country" }
      const error = yield* using(
        { dial: async () => ({ failed: "refused", carrierReason }) },
        ({ dial }) => Effect.flip(dial(request))
      )
      assert.deepStrictEqual(error.carrierReason, carrierReason)
    }))

  it.live("checks the carrier if it can, and takes a check that fails or answers nonsense as unsuccessful", () =>
    Effect.gen(function*() {
      const checked = (check?: Telephony.PromiseTelephony["check"]) =>
        using(
          check === undefined ? {} : { check },
          ({ check }) => Effect.suspend((): Effect.Effect<boolean | "none"> => check ?? Effect.succeed("none" as const))
        )
      assert.deepStrictEqual(
        yield* Effect.all([
          checked(),
          checked(async () => true),
          checked(async () => false),
          checked(async () => Promise.reject(new Error("down"))),
          checked(malformed<boolean>("yes"))
        ]),
        ["none", true, false, false, false]
      )
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("decides by the engine's clock whether the phone may still ring", () =>
    Effect.gen(function*() {
      const said: Array<boolean> = []
      const dial: Telephony.PromiseTelephony["dial"] = async (asked, { mayStillRing }) => {
        assert.notProperty(asked, "dialBy")
        said.push(mayStillRing())
        return { failed: "unavailable" }
      }
      for (const at of [29_999, 30_000]) {
        yield* TestClock.setTime(at)
        yield* using({ dial }, (telephony) => Effect.flip(telephony.dial(request)))
      }
      assert.deepStrictEqual(said, [true, false])
    }))

  it.live("treats every other outcome of a dial as one that may have rung", () =>
    Effect.gen(function*() {
      const dials: ReadonlyArray<Telephony.PromiseTelephony["dial"]> = [
        () => Promise.reject(new Error("socket hang up")),
        () => {
          throw new Error("not even a promise")
        },
        malformed(undefined),
        malformed({}),
        malformed({ carrierCallId: "" }),
        malformed({ failed: "timeout" })
      ]
      for (const dial of dials) {
        const error = yield* using({ dial }, (telephony) => Effect.flip(telephony.dial(request)))
        assert.strictEqual(error.reason, "unknown")
      }
    }))

  it.live("treats an unreadable look-up as a carrier that cannot be reached", () =>
    Effect.gen(function*() {
      const views: ReadonlyArray<Telephony.PromiseTelephony["lookUp"]> = [
        () => Promise.reject(new Error("socket hang up")),
        malformed(undefined),
        malformed({ status: "gone" }),
        // Without its instant.
        malformed({ status: "ended", result: "busy" })
      ]
      for (const lookUp of views) {
        assert.deepStrictEqual(yield* using({ lookUp }, (telephony) => telephony.lookUp(call)), { _tag: "Unreachable" })
      }
    }))

  it.live("reads views with their instants", () =>
    Effect.gen(function*() {
      const at = new Date("2026-03-02T10:01:00.000Z")
      const view = (answer: Telephony.HostCarrierView) =>
        using({ lookUp: async () => answer }, ({ lookUp }) => lookUp(call))
      assert.deepStrictEqual(yield* view({ status: "not_found" }), { _tag: "NotFound" })
      assert.deepStrictEqual(
        yield* view({
          status: "ended",
          at,
          result: "failed",
          code: "carrier_lost",
          carrierReason: { code: "SIP 480" },
          recordingFollows: true
        }),
        {
          _tag: "Ended",
          event: {
            _tag: "Ended",
            at: DateTime.makeUnsafe(at),
            result: "failed",
            code: "carrier_lost",
            carrierReason: { code: "SIP 480" },
            transcript: [],
            recorded: false,
            recordingFollows: true
          }
        }
      )
    }))

  it.live("names a call to end with what is known of it, as a look-up does", () =>
    Effect.gen(function*() {
      const asked: Array<Telephony.HostCallToEnd> = []
      const hangUp: Telephony.PromiseTelephony["hangUp"] = async (call) => void asked.push(call)
      const lookUp: Telephony.PromiseTelephony["lookUp"] = async (call) => {
        asked.push(call)
        return { status: "live" }
      }
      yield* using({ hangUp, lookUp }, (telephony) =>
        Effect.all([
          telephony.hangUp(call),
          telephony.lookUp(call),
          telephony.hangUp({ accountId, callId })
        ]))
      const { submittedAt, ...others } = call
      const known = { ...others, submittedAt: DateTime.toDateUtc(submittedAt) }
      assert.deepStrictEqual(asked, [known, known, { accountId, callId }])
    }))

  it.effect("waits half a minute for a look-up, and lets it know", () =>
    Effect.gen(function*() {
      const aborted = yield* Ref.make(false)
      const lookUp: Telephony.PromiseTelephony["lookUp"] = (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => Effect.runSync(Ref.set(aborted, true))))
      const view = yield* using({ lookUp }, (telephony) =>
        Effect.gen(function*() {
          const asked = yield* Effect.forkChild(telephony.lookUp(call), { startImmediately: true })
          yield* TestClock.adjust("30 seconds")
          return yield* Fiber.join(asked)
        }))
      assert.deepStrictEqual(view, { _tag: "Unreachable" })
      assert.isTrue(yield* Ref.get(aborted))
    }))

  it.live("does not open with a lag that is none", () =>
    Effect.gen(function*() {
      for (const notFoundLagSeconds of [0, -1, NaN, Infinity]) {
        const error = yield* Effect.flip(using({ notFoundLagSeconds }, () => Effect.void))
        assert.instanceOf(error, Errors.InvalidRequest)
        assert.strictEqual(error.message, "telephony.notFoundLagSeconds must be a number of seconds above 0")
      }
    }))

  it.live("does not open without a name, and names the field", () =>
    Effect.gen(function*() {
      for (const name of ["", "x".repeat(65), 5 as unknown as string]) {
        const error = yield* Effect.flip(using({ name }, () => Effect.void))
        assert.strictEqual(String(error.message), "telephony.name must be text of 1 to 64 characters")
      }
    }))

  it.live("closes the provider with the engine", () =>
    Effect.gen(function*() {
      let closed = 0
      yield* using({ close: () => void closed++ }, () => Effect.sync(() => assert.strictEqual(closed, 0)))
      assert.strictEqual(closed, 1)
    }))

  it.live("hands reports on, with their instants", () =>
    Effect.gen(function*() {
      const taken: Array<LineReports.Report> = []
      const line = yield* connected((report) => Effect.sync(() => (taken.push(report), "continue")))
      const at = new Date("2026-03-02T10:01:00.000Z")
      const report = (event: Telephony.HostReport["event"]) =>
        Effect.promise(() => line.report({ accountId, callId, event }))
      yield* report({ type: "accepted", carrierCallId: "line-1" })
      yield* report({ type: "alive" })
      yield* report({ type: "ringing" })
      yield* report({ type: "answered", at, by: "unknown" })
      yield* report({ type: "verdict", by: "fax" })
      assert.deepStrictEqual(taken.map(({ event }) => event), [
        { _tag: "Accepted", carrierCallId: Ids.CarrierCallId.make("line-1") },
        { _tag: "Alive" },
        { _tag: "Ringing" },
        { _tag: "Answered", at: DateTime.makeUnsafe(at), by: "unknown" },
        { _tag: "Verdict", by: "fax" }
      ])
    }))

  it.live("rejects a report that is not on record, or is none", () =>
    Effect.gen(function*() {
      const line = yield* connected(() =>
        Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "away" }))
      )
      const rejected = (report: Telephony.HostReport) => Effect.exit(Effect.tryPromise(() => line.report(report)))
      assert.isTrue(Exit.isFailure(yield* rejected({ accountId, callId, event: { type: "alive" } })))
      const fine = yield* connected(() => Effect.succeed("continue"))
      const refused = yield* Effect.exit(
        Effect.tryPromise(() => fine.report({ accountId, callId: "visit-7", event: { type: "alive" } }))
      )
      assert.isTrue(Exit.isFailure(refused))
    }))

  it.live("rejects a report with a misspelled field, names the nearest one, and logs it", () => {
    const logged: Array<unknown> = []
    return Effect.gen(function*() {
      const taken: Array<LineReports.Report> = []
      const line = yield* connected((report) => Effect.sync(() => (taken.push(report), "continue")))
      const ended = { type: "ended", at: new Date("2026-03-02T10:01:00.000Z"), result: "hung_up" }
      const reports: ReadonlyArray<readonly [report: unknown, message: string]> = [
        [
          { accountId, callId, carrierCalId: "line-1", event: { type: "alive" } },
          "carrierCalId is not a known field; did you mean carrierCallId?"
        ],
        [
          { accountId, callId, event: { ...ended, transcripts: [] } },
          "event.transcripts is not a known field; did you mean transcript?"
        ],
        [
          { accountId, callId, event: { ...ended, transcript: [{ speaker: "contact", texts: "Yes" }] } },
          "event.transcript.0.texts is not a known field; did you mean text?; event.transcript.0.text is required"
        ]
      ]
      for (const [report, message] of reports) {
        // oxlint-disable-next-line typescript/no-unsafe-argument -- what no type would let pass
        const error = yield* Effect.promise(() => line.report(report as Telephony.HostReport).catch((error) => error))
        assert.instanceOf(error, Errors.InvalidRequest)
        assert.strictEqual(error.message, message)
        assert.deepStrictEqual(logged.splice(0), [[`A report of the telephony provider was refused: ${message}`]])
      }
      assert.deepStrictEqual(taken, [])
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(message))])))
  })

  it.live("treats an end with a misspelled field as a carrier that cannot be reached, so that no conversation is lost", () =>
    Effect.gen(function*() {
      const at = new Date("2026-03-02T10:01:00.000Z")
      const lookUp = malformed<Telephony.HostCarrierView>({ status: "ended", at, result: "hung_up", transcripts: [] })
      assert.deepStrictEqual(yield* using({ lookUp }, (telephony) => telephony.lookUp(call)), { _tag: "Unreachable" })
    }))

  it.live("takes reports and views to which the carrier has added fields, so that their calls end", () =>
    Effect.gen(function*() {
      const taken: Array<LineReports.Report> = []
      const line = yield* connected((report) => Effect.sync(() => (taken.push(report), "continue")))
      const at = new Date("2026-03-02T10:01:00.000Z")
      const end = {
        at,
        result: "hung_up",
        answeredAt: at,
        answeredBy: "human",
        answeredByMachine: false,
        price: "0.02",
        transcript: [{ speaker: "contact", text: "Yes", text_raw: "yes", confidence: 0.9 }]
      }
      const report = { accountId, callId, id: 7, event: { type: "ended", ...end } }
      // oxlint-disable-next-line typescript/no-unsafe-argument -- what no type would let pass
      yield* Effect.promise(() => line.report(report as unknown as Telephony.HostReport))
      const lookUp = malformed<Telephony.HostCarrierView>({ status: "ended", ...end })
      const view = yield* using({ lookUp }, (telephony) => telephony.lookUp(call))
      const turns = [{ speaker: "contact", text: "Yes" }]
      for (const seen of [taken[0]?.event, view._tag === "Ended" ? view.event : view]) {
        assert.deepInclude({ ...seen }, { _tag: "Ended", answeredBy: "human", transcript: turns })
      }
    }))

  it.live("hangs up a call that the engine does not know as live, before it answers the report", () =>
    Effect.gen(function*() {
      const hungUp: Array<Telephony.HostCallToEnd> = []
      const line = yield* connected(() => Effect.succeed("hang_up"), async (placed) => void hungUp.push(placed))
      yield* Effect.promise(() => line.report({ accountId, callId, event: { type: "alive" } }))
      assert.deepStrictEqual(hungUp, [{ accountId, callId, phoneNumber, carrierCallId: "line-1" }])
    }))

  it.live("hangs up the call that the carrier names, also when another is on record", () =>
    Effect.gen(function*() {
      const hungUp: Array<unknown> = []
      const line = yield* connected(
        () => Effect.succeed("hang_up"),
        async ({ carrierCallId }) => void hungUp.push(carrierCallId)
      )
      const report = (more: Pick<Telephony.HostReport, "carrierCallId" | "event">) =>
        Effect.promise(() => line.report({ accountId, callId, ...more }))
      yield* report({ carrierCallId: "line-2", event: { type: "alive" } })
      yield* report({ event: { type: "accepted", carrierCallId: "line-3" } })
      assert.deepStrictEqual(hungUp, ["line-2", "line-3"])
    }))

  it.live("deletes a recording that the call must not have", () =>
    Effect.gen(function*() {
      const removed: Array<Recordings.RecordingKey> = []
      let line: Telephony.HostLine | undefined
      yield* Layer.build(
        Telephony.Telephony.layerOf((given) => {
          line = given
          return provider
        }).pipe(Layer.provide([
          Layer.mock(LineReports.LineReports, { report: () => Effect.succeed("discard") }),
          Layer.mock(Recordings.Recordings, { remove: (key) => Effect.sync(() => void removed.push(key)) })
        ]))
      )
      yield* Effect.promise(async () => line?.report({ accountId, callId, event: { type: "recorded" } }))
      assert.deepStrictEqual(removed.map(({ accountId, callId }) => ({ accountId, callId })), [{ accountId, callId }])
    }))

  it.live("returns whether a recording was stored", () =>
    Effect.gen(function*() {
      const line = yield* connected(() => Effect.succeed("continue"))
      const recording = { mediaType: "audio/wav", bytes: new Uint8Array([1]) }
      assert.isFalse(yield* Effect.promise(() => line.keepRecording({ accountId, callId }, recording)))
    }))
})
