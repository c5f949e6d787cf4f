/** Do-not-call, previews and explanations over HTTP (`docs/decisions.md`, do-not-call). */
import { assert } from "@effect/vitest"
import { Limits } from "@outdial/core"
import { Effect } from "effect"
import {
  type Answer,
  callRequest,
  type Cases,
  get,
  later,
  phoneNumber,
  post,
  refusal,
  send,
  startedCall,
  Target,
  walk
} from "./Target.ts"

const add = (...phone_numbers: ReadonlyArray<unknown>) => post("/v1/do_not_call", { body: { phone_numbers } })

const entry = (number: string) => `/v1/do_not_call/${encodeURIComponent(number)}`

const remove = (number: string) => send("DELETE", entry(number))

const ruleNamed = (name: string) => ({ body }: Answer) =>
  body["rules"].find(({ rule }: { readonly rule: string }) => rule === name)

/** Invalid numbers. */
const noNumbers: ReadonlyArray<unknown> = ["", "nope", "+1\u0000415 555 0100", "+".padEnd(5000, "1"), 5, null, {}]

export const cases: Cases = {
  "puts numbers on the do-not-call list, shows them, and removes them again": Effect.gen(function*() {
    const [number, other] = [yield* phoneNumber, yield* phoneNumber]
    const added = yield* add(number, number.replace(/^\+1(...)/, "001 ($1) "), other)
    assert.deepStrictEqual([added.status, added.body], [200, { object: "do_not_call_addition", added: 2, canceled: 0 }])
    assert.strictEqual((yield* add(number, other)).body["added"], 0)
    const shown = yield* get(entry(number))
    const { created_at, ...rest } = shown.body
    assert.strictEqual(shown.status, 200)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepStrictEqual(rest, { object: "do_not_call_entry", phone_number: number, source: "api" })
    assert.deepStrictEqual((yield* get(`/v1/do_not_call/${number}`)).body, shown.body)
    for (let removals = 0; removals < 2; removals++) {
      const removed = yield* remove(number)
      assert.deepStrictEqual([removed.status, removed.body], [200, {
        object: "do_not_call_entry",
        phone_number: number,
        deleted: true
      }])
    }
    assert.deepStrictEqual(refusal(yield* get(entry(number))), [404, "not_found"])
    assert.strictEqual((yield* get(entry(other))).status, 200)
  }),

  "refuses calls to a number on the list, single and in batches, but no test calls": Effect.gen(function*() {
    const { agentId } = yield* Target
    const request = yield* callRequest()
    const number = request.phone_number
    yield* add(number)
    const refused = yield* post("/v1/calls", { body: request })
    assert.deepStrictEqual(refusal(refused, "param", "location"), [
      422,
      "number_do_not_call",
      "/phone_number",
      "body"
    ])
    const { agent_id: _, ...row } = request
    const batch = yield* post("/v1/batches", { body: { agent_id: agentId, calls: [row] } })
    const [{ message, ...rejected }] = batch.body["rejected"]
    assert.isNotEmpty(message)
    assert.deepStrictEqual(rejected, {
      index: 0,
      phone_number: number,
      code: "number_do_not_call",
      param: "/calls/0/phone_number"
    })
    const { not_before: __, ...test } = request
    assert.strictEqual((yield* post("/v1/calls", { body: { ...test, test: true } })).status, 201)
    yield* remove(number)
    assert.strictEqual((yield* post("/v1/calls", { body: request })).status, 201)
  }),

  "cancels the calls that wait for a number": Effect.gen(function*() {
    const call = yield* startedCall()
    assert.deepInclude((yield* add(call["phone_number"])).body, { added: 1, canceled: 1 })
    assert.deepInclude((yield* get(`/v1/calls/${call["id"]}`)).body, {
      status: "canceled",
      status_code: "do_not_call"
    })
  }),

  "adds all numbers or none, and reports every invalid one": Effect.gen(function*() {
    const number = yield* phoneNumber
    const answer = yield* add(number, ...noNumbers)
    assert.deepStrictEqual(refusal(answer, "location"), [400, "invalid_request", "body"])
    assert.deepStrictEqual(
      answer.body["error"].errors.map(({ param }: { readonly param: string }) => param),
      noNumbers.map((_, index) => `/phone_numbers/${index + 1}`)
    )
    assert.isBelow(JSON.stringify(answer.body).length, 8000)
    assert.deepStrictEqual(refusal(yield* get(entry(number))), [404, "not_found"])
  }),

  "refuses emergency numbers and short codes everywhere, whatever the default country is": Effect.gen(function*() {
    const { agentId } = yield* Target
    for (const text of ["911", "1-1-2", "999", "988", "116117"]) {
      const { agent_id: _, ...row } = yield* callRequest({ phone_number: text })
      const started = yield* post("/v1/calls", { body: { agent_id: agentId, ...row } })
      const preview = yield* post("/v1/calls/preview", { body: { phone_number: text } })
      for (const answer of [started, preview]) {
        assert.deepStrictEqual(refusal(answer, "param", "location"), [400, "invalid_request", "/phone_number", "body"])
      }
      const batch = yield* post("/v1/batches", { body: { agent_id: agentId, calls: [row] } })
      assert.deepStrictEqual([batch.body["accepted_count"], batch.body["rejected"][0].code], [0, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* add(text), "param"), [400, "invalid_request", "/phone_numbers/0"])
      assert.deepStrictEqual(refusal(yield* get(entry(text)), "location"), [400, "invalid_request", "path"])
      const listed = yield* get(`/v1/calls?phone_number=${encodeURIComponent(text)}`)
      assert.deepStrictEqual(refusal(listed, "location"), [400, "invalid_request", "query"])
    }
  }),

  "accepts 1,000 numbers at once, and no more": Effect.gen(function*() {
    const number = yield* phoneNumber
    const many = Array.from({ length: Limits.doNotCallSet }, () => number)
    assert.strictEqual((yield* add(...many)).status, 200)
    for (const wrong of [[], [...many, number]]) {
      assert.deepStrictEqual(refusal(yield* add(...wrong), "param"), [400, "invalid_request", "/phone_numbers"])
    }
  }),

  "refuses a path without a valid number": Effect.gen(function*() {
    for (const [method, part] of [["GET", "nope"], ["DELETE", "%2B1415"], ["GET", "%00"]] as const) {
      const answer = yield* send(method, `/v1/do_not_call/${part}`)
      assert.deepStrictEqual(refusal(answer, "param", "location"), [400, "invalid_request", "/phone_number", "path"])
    }
  }),

  "lists the numbers newest first, page by page": Effect.gen(function*() {
    const numbers = yield* Effect.all(Array.from({ length: 5 }, () => phoneNumber))
    yield* add(...numbers.slice(0, 4))
    yield* add(...numbers)
    const all = yield* walk("/v1/do_not_call", 100)
    assert.deepStrictEqual(yield* walk("/v1/do_not_call", 4), all)
    assert.includeMembers(all.map((one) => one["phone_number"]), numbers)
    const stamps = all.map((one) => String(one["created_at"]))
    assert.isTrue(stamps.every((stamp, index) => stamp <= (stamps[index - 1] ?? stamp)))
  }),

  "previews a call that waits, rule by rule, and queues nothing": Effect.gen(function*() {
    const request = yield* callRequest({ contact: { name: "Ada", time_zone: "Asia/Tokyo" } })
    const preview = yield* post("/v1/calls/preview", { body: request })
    const { at, reason, rules, ...rest } = preview.body
    assert.strictEqual(preview.status, 200, JSON.stringify(preview.body))
    assert.match(at, /Z$/)
    assert.isNotEmpty(reason)
    assert.deepStrictEqual(rest, {
      object: "explanation",
      phone_number: request.phone_number,
      time_zones: ["Asia/Tokyo"],
      decision: "wait",
      code: "not_before",
      scheduled_for: request.not_before
    })
    for (const rule of rules) assert.containsAllKeys(rule, ["rule", "allows", "data"])
    assert.deepStrictEqual(ruleNamed("not_before")(preview), {
      rule: "not_before",
      allows: false,
      next_allowed_at: request.not_before,
      data: { not_before: request.not_before }
    })
    assert.deepStrictEqual(
      (yield* get(`/v1/calls?phone_number=${encodeURIComponent(request.phone_number)}`)).body["data"],
      []
    )
  }),

  "previews the error that would refuse a call": Effect.gen(function*() {
    const call = yield* startedCall()
    const preview = (phone_number: string) =>
      Effect.map(
        post("/v1/calls/preview", { body: { phone_number } }),
        ({ body, status }) => [status, body["decision"], body["code"]]
      )
    assert.deepStrictEqual(yield* preview(call["phone_number"]), [200, "refuse", "call_already_queued"])
    assert.deepStrictEqual(yield* preview("+19005550100"), [200, "refuse", "number_not_allowed"])
    yield* add(call["phone_number"])
    assert.deepStrictEqual(yield* preview(call["phone_number"]), [200, "refuse", "number_do_not_call"])
  }),

  "refuses previews of invalid requests": Effect.gen(function*() {
    const phone_number = yield* phoneNumber
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{}, "/phone_number"],
      [{ phone_number: "+1415555" }, "/phone_number"],
      [{ phone_number, contact: { time_zone: "Mars/Olympus" } }, "/contact/time_zone"]
    ]
    for (const [body, param] of wrong) {
      const answer = yield* post("/v1/calls/preview", { body })
      assert.deepStrictEqual(refusal(answer, "param"), [400, "invalid_request", param], JSON.stringify(body))
    }
    const nothing = { agent_id: null, contact: { time_zone: null }, not_before: null }
    assert.strictEqual((yield* post("/v1/calls/preview", { body: { phone_number, ...nothing } })).status, 200)
  }),

  "does not read preview as the id of a call": Effect.gen(function*() {
    const answer = yield* get("/v1/calls/preview")
    assert.deepStrictEqual([...refusal(answer), answer.headers.get("allow")], [405, "method_not_allowed", "POST"])
    assert.deepStrictEqual(refusal(yield* get("/v1/calls/preview/explanation"), "param"), [
      400,
      "invalid_request",
      "/id"
    ])
  }),

  "explains a queued call, and one that is no longer queued": Effect.gen(function*() {
    const call = yield* startedCall({ not_before: yield* later("2 days"), contact: { time_zone: "Asia/Tokyo" } })
    const path = `/v1/calls/${call["id"]}/explanation`
    const explained = yield* get(path)
    const { at: _, reason, rules, worker_alive, ...waiting } = explained.body
    assert.isBoolean(worker_alive)
    assert.deepStrictEqual([explained.status, waiting], [200, {
      object: "explanation",
      call_id: call["id"],
      call_status: "queued",
      phone_number: call["phone_number"],
      time_zones: ["Asia/Tokyo"],
      decision: "wait",
      code: call["status_code"],
      scheduled_for: call["scheduled_for"]
    }])
    assert.strictEqual(reason, call["status_reason"])
    assert.isNotEmpty(rules)
    yield* post(`/v1/calls/${call["id"]}/cancel`)
    const { body } = yield* get(path)
    assert.deepInclude(body, { call_status: "canceled", decision: "none", code: "canceled_by_client", rules: [] })
    assert.deepStrictEqual(refusal(yield* get("/v1/calls/call_1/explanation")), [404, "not_found"])
  }),

  "accepts the callee's time zone, shows it, and refuses an unknown one": Effect.gen(function*() {
    const call = yield* startedCall({ contact: { time_zone: "Europe/Paris" } })
    assert.deepStrictEqual(call["contact"], { time_zone: "Europe/Paris" })
    for (const time_zone of ["Mars/Olympus", 5]) {
      const answer = yield* post("/v1/calls", { body: yield* callRequest({ contact: { time_zone } }) })
      assert.deepStrictEqual(
        refusal(answer, "param"),
        [400, "invalid_request", "/contact/time_zone"],
        String(time_zone)
      )
    }
  })
}
