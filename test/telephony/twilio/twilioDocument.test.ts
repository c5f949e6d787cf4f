/** Requests to Twilio, and the answers of the fake, compared with Twilio's own OpenAPI document: see `CheckedTwilio`, which other tests use too. */
import { assert, describe, it } from "@effect/vitest"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Ids, PhoneNumber, type Telephony } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Cause, DateTime, Effect, Exit, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as TwilioAccount from "../../../packages/carriers/src/twilio/TwilioAccount.ts"
import * as TwilioDocument from "../../support/TwilioDocument.ts"
import document from "../../support/twilio-document/twilio_api_v2010.json" with { type: "json" }
import * as CarrierEngine from "../fake/CarrierEngine.ts"
import * as CarrierServices from "../fake/CarrierServices.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"

const callee = (): FakeTwilio.Callee => ({ _tag: "Waits" })

const accountOf = Effect.map(FakeTwilio.FakeTwilio, ({ accountSid, authToken, url }) => ({
  accountSid,
  authToken: Redacted.make(authToken),
  apiUrl: url
}))

const dial = (now: DateTime.Utc): Telephony.DialRequest => ({
  accountId: Ids.AccountId.make("acct_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  callId: Ids.CallId.make("call_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  phoneNumber: PhoneNumber.PhoneNumber.make("+14155550101"),
  contact: {},
  agent: {
    ...Factories.agentBrief({ language: "en-US", voice: "Ada" }),
    voicemail: "leave_message",
    voicemailMessage: "Call us."
  },
  dialBy: DateTime.add(now, { minutes: 1 })
})

const sid = (prefix: string) => prefix + "0".repeat(32)

const base = `/2010-04-01/Accounts/${sid("AC")}`

const form = "application/x-www-form-urlencoded"

/** What is wrong with a request, or with an answer to it. */
const problemsOf = (
  request: string,
  { answer, body = "", type = form }: {
    readonly body?: string
    readonly type?: string
    readonly answer?: FakeTwilio.Exchange["answer"]
  } = {}
) => {
  const [method = "", target = ""] = request.split(" ")
  const { pathname, searchParams } = new URL(target, "http://fake.test")
  return TwilioDocument.problems({
    request: {
      method,
      path: pathname,
      query: searchParams,
      headers: { "content-type": type },
      body,
      isUnauthorized: false
    },
    answer
  }).map((problem) => problem.split(": ").slice(1).join(": "))
}

describe("Twilio's OpenAPI document", () => {
  it.live("knows every request that we send, with all its fields, and describes what the fake answers", () =>
    Effect.gen(function*() {
      const seen = new Map<string, number | undefined>()
      const observe = ({ answer, request }: FakeTwilio.Exchange) => {
        const operation = TwilioDocument.operationOf(request)
        if (operation !== undefined) seen.set(operation, answer?.status)
      }
      yield* Effect.gen(function*() {
        const twilio = yield* FakeTwilio.FakeTwilio
        const account = yield* accountOf
        const options = {
          ...account,
          publicUrl: "https://x.example",
          callerId: CarrierEngine.callerId,
          recording: "move"
        } as const
        const telephony = yield* CarrierServices.build(TwilioTelephony.layer(options), "none")
        const request = dial(yield* DateTime.now)
        const carrierCallId = yield* telephony.dial(request)
        const { callId, phoneNumber } = request
        const placed = { accountId: request.accountId, callId, phoneNumber, submittedAt: yield* DateTime.now }
        assert.strictEqual((yield* telephony.lookUp(placed))._tag, "Live")
        assert.strictEqual((yield* telephony.lookUp({ ...placed, carrierCallId }))._tag, "Live")
        assert.isTrue(yield* telephony.check ?? Effect.succeed(false))
        yield* CarrierEngine.eventually(() => twilio.calls.find(({ status }) => status === "ringing"))
        yield* twilio.answer(carrierCallId)
        const api = yield* TwilioAccount.apiOf(account)
        yield* api.instruct(carrierCallId, "<Response><Pause length=\"60\"/></Response>")
        yield* api.stopRecording(carrierCallId)
        yield* telephony.hangUp({ ...placed, carrierCallId })
        yield* CarrierEngine.eventually(() => twilio.recordings.get(carrierCallId))
        const recording = `RE${carrierCallId.slice(2)}`
        assert.isNotEmpty((yield* api.recording(recording)).bytes)
        yield* api.removeRecording(recording)
        const unusable = PhoneNumber.PhoneNumber.make("+14155550188")
        assert.deepStrictEqual(yield* TwilioAccount.unusableCallerIds(account, [unusable]), [unusable])
      }).pipe(Effect.provide([
        CheckedTwilio.layer({ callee, callerIds: [CarrierEngine.callerId], observe }),
        FetchHttpClient.layer
      ]))
      const expected = new Map(TwilioDocument.operationIds.map((id) => {
        const responses = Object.values(document.paths).flatMap((methods) => Object.values(methods))
          .find(({ operationId }) => operationId === id)?.responses ?? {}
        return [id, Number(Object.keys(responses)[0])]
      }))
      assert.deepStrictEqual(Object.fromEntries(seen), Object.fromEntries(expected))
    }))

  it.live("fails a test whose request has a field that it does not know", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(
        Effect.gen(function*() {
          const api = yield* Effect.flatMap(accountOf, TwilioAccount.apiOf)
          const valid = { To: "+14155550101", From: CarrierEngine.callerId, Twiml: "<Response/>" }
          yield* Effect.flip(api.create(Object.entries({ ...valid, Transcribe: "true" })))
        }).pipe(Effect.provide([CheckedTwilio.layer({ callee }), FetchHttpClient.layer]))
      )
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "field Transcribe: not known")
    }))

  it("finds what is wrong with a request", () => {
    const create = `POST ${base}/Calls.json`
    const valid = `To=%2B14155550101&From=%2B14155550100&StatusCallbackEvent=initiated&StatusCallbackEvent=ringing`
    assert.deepStrictEqual(problemsOf(create, { body: valid }), [])
    for (
      const [found, ...args] of [
        [["no operation"], `PUT ${base}/Calls.json`],
        [["no operation"], `GET ${base}/Calls`],
        [["no operation"], `GET ${base}/Recordings/${sid("RE")}.mp3`],
        [["field To: absent"], create, { body: "From=%2B14155550100" }],
        [["field to: not known"], create, { body: `${valid}&to=x` }],
        [["field Timeout: type \"integer\""], create, { body: `${valid}&Timeout=soon` }],
        [["field Timeout: repeated"], create, { body: `${valid}&Timeout=1&Timeout=2` }],
        [["field Record: type \"boolean\""], create, { body: `${valid}&Record=yes` }],
        [["field StatusCallback: format \"uri\""], create, { body: `${valid}&StatusCallback=x` }],
        [
          ["field StatusCallbackMethod: format \"http-method\"", "field StatusCallbackMethod: enum [\"GET\",\"POST\"]"],
          create,
          {
            body: `${valid}&StatusCallbackMethod=PUT`
          }
        ],
        [["content type application/json: not known"], create, { body: "{}", type: "application/json" }],
        [["field Status: enum [\"canceled\",\"completed\"]"], `POST ${base}/Calls/${sid("CA")}.json`, {
          body: "Status=stopped"
        }],
        [["path Sid: minLength 34", "path Sid: pattern \"^CA[0-9a-fA-F]{32}$\""], `GET ${base}/Calls/1.json`],
        [["query Since: not known"], `GET ${base}/Calls.json?Since=2026`],
        [["query PageSize: maximum 1000"], `GET ${base}/Calls.json?PageSize=1001`],
        [["body: none is known"], `DELETE ${base}/Recordings/${sid("RE")}.json`, { body: "Status=deleted" }]
      ] as const
    ) {
      assert.deepStrictEqual(
        problemsOf(...(args as unknown as Parameters<typeof problemsOf>)),
        [...found],
        JSON.stringify(args)
      )
    }
  })

  it("finds what is wrong with an answer, and leaves alone what it does not describe", () => {
    const answered = (body: unknown, status = 201) =>
      problemsOf(`POST ${base}/Calls.json`, { body: "To=%2B14155550101&From=%2B14155550100", answer: { status, body } })
    assert.deepStrictEqual(answered({ sid: sid("CA"), status: "queued", price: null }), [])
    assert.deepStrictEqual(
      answered({ sid: sid("RE"), status: "initiated", ringing: true, date_created: "2026-03-02T10:00:00Z" }),
      [
        "answer/sid: anyOf " + JSON.stringify([
          { type: "string", minLength: 34, maxLength: 34, pattern: "^CA[0-9a-fA-F]{32}$" },
          { type: "null" }
        ]),
        "answer/date_created: anyOf " +
        JSON.stringify([{ type: "string", format: "date-time-rfc-2822" }, { type: "null" }]),
        "answer/status: enum " + JSON.stringify(document.components.schemas.call_enum_status.enum),
        "answer/ringing: not allowed"
      ]
    )
    assert.deepStrictEqual(answered({ code: 21211 }, 400), [])
  })

  it.live("has no field of a call that the fake does not know", () =>
    Effect.gen(function*() {
      const { accountSid, authToken, url } = yield* FakeTwilio.FakeTwilio
      const { properties } =
        document.paths["/2010-04-01/Accounts/{AccountSid}/Calls.json"].post.requestBody.content[form].schema
      const messages = yield* Effect.forEach(Object.keys(properties), (name) =>
        Effect.promise(async () => {
          const body = new URLSearchParams({
            To: "+14155550101",
            From: CarrierEngine.callerId,
            Twiml: "<Response></Response>"
          })
          body.set(name, "?")
          const headers = { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` }
          const response = await fetch(`${url}/2010-04-01/Accounts/${accountSid}/Calls.json`, {
            method: "POST",
            headers,
            body
          })
          return ((await response.json()) as { readonly message?: string }).message
        }))
      assert.deepStrictEqual(messages.filter((message) => message?.startsWith("Unknown") === true), [])
    }).pipe(Effect.provide(FakeTwilio.FakeTwilio.layer({ callee }))))
})
