/** Calls over HTTP (spec §4.1–4.4, §8). */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { callRequest, type Cases, freshKey, get, later, post, refusal, startedCall, Target, walk } from "./Target.ts"

/** Opens a stream of the call's transcript. */
const stream = Effect.fnUntraced(function*(id: string, headers: Readonly<Record<string, string>> = {}) {
  const { baseUrl, fetch, key } = yield* Target
  const request = new Request(`${baseUrl}/v1/calls/${id}/transcript`, {
    headers: { accept: "text/event-stream", "x-api-key": key, ...headers }
  })
  return yield* Effect.promise(() => fetch(request))
})

export const cases: Cases = {
  "starts a call with 201, and shows the same call afterwards": Effect.gen(function*() {
    const request = yield* callRequest({
      contact: { name: "Grace", email: "grace@example.com", external_id: "crm-7" },
      metadata: { deep: [null, { camelCase: "ä" }] }
    })
    const { body, status } = yield* post("/v1/calls", { body: request })
    assert.strictEqual(status, 201)
    const { created_at, id, idempotent_replay, ...call } = body
    assert.match(id, /^call_/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.isFalse(idempotent_replay)
    assert.deepStrictEqual(call, {
      object: "call",
      status: "queued",
      status_reason: call["status_reason"],
      status_code: "not_before",
      scheduled_for: request.not_before,
      agent_id: request.agent_id,
      phone_number: request.phone_number,
      contact: { name: "Grace", email: "grace@example.com", external_id: "crm-7" },
      variables: request.variables,
      metadata: { deep: [null, { camelCase: "ä" }] },
      batch_id: null,
      test: false,
      outcome: null
    })
    const shown = yield* get(`/v1/calls/${id}`)
    assert.deepStrictEqual([shown.status, shown.body], [200, { id, ...call, created_at }])
  }),

  "reads the number as people write it": Effect.gen(function*() {
    const { phone_number: number } = yield* callRequest()
    const typed = number.replace(/^\+1(...)(...)(....)$/, "001 ($1) $2-$3")
    assert.strictEqual((yield* startedCall({ phone_number: typed }))["phone_number"], number)
  }),

  "completes a test call at once, with an outcome": Effect.gen(function*() {
    const { not_before: _, ...request } = yield* callRequest({ test: true })
    const { body, status } = yield* post("/v1/calls", { body: request })
    assert.deepStrictEqual([status, body["status"], body["test"], body["duration_seconds"]], [
      201,
      "completed",
      true,
      0
    ])
    assert.containsAllKeys(body["outcome"], ["disposition", "summary", "answers", "transcript"])
  }),

  "answers a repeated Idempotency-Key with 200, the call as it is now, and no second call": Effect.gen(function*() {
    const sent = { body: yield* callRequest(), headers: { "idempotency-key": yield* freshKey } }
    const first = yield* post("/v1/calls", sent)
    assert.isNull(first.headers.get("idempotent-replayed"))
    const { body: canceled } = yield* post(`/v1/calls/${first.body["id"]}/cancel`)
    const again = yield* post("/v1/calls", sent)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual([again.status, again.body], [200, { ...canceled, idempotent_replay: true }])
  }),

  "makes one call of twenty identical requests": Effect.gen(function*() {
    const sent = { body: yield* callRequest(), headers: { "idempotency-key": yield* freshKey } }
    const answers = yield* Effect.all(Array.from({ length: 20 }, () => post("/v1/calls", sent)), {
      concurrency: "unbounded"
    })
    assert.sameMembers(answers.map(({ status }) => status), [201, ...Array.from({ length: 19 }, () => 200)])
    assert.strictEqual(new Set(answers.map(({ body }) => body["id"])).size, 1)
  }),

  "refuses an Idempotency-Key that came with another request, and names the call": Effect.gen(function*() {
    const headers = { "idempotency-key": yield* freshKey }
    const { body: call } = yield* post("/v1/calls", { body: yield* callRequest(), headers })
    const other = yield* post("/v1/calls", { body: yield* callRequest(), headers })
    assert.deepStrictEqual(refusal(other, "call_id"), [422, "idempotency_key_reused", call["id"]])
  }),

  "refuses a number that has a queued call, and names that call": Effect.gen(function*() {
    const call = yield* startedCall()
    const again = yield* post("/v1/calls", { body: yield* callRequest({ phone_number: call["phone_number"] }) })
    assert.deepStrictEqual(refusal(again, "call_id"), [409, "call_already_queued", call["id"]])
  }),

  "refuses what does not fit the account with 422": Effect.gen(function*() {
    const { variables } = yield* Target
    const refused = (overrides: Readonly<Record<string, unknown>>, ...fields: ReadonlyArray<string>) =>
      Effect.map(
        Effect.flatMap(callRequest(overrides), (body) => post("/v1/calls", { body })),
        (answer) => refusal(answer, ...fields)
      )
    assert.deepStrictEqual(yield* refused({ agent_id: "00000000-0000-4000-8000-00000000dead" }, "param"), [
      422,
      "agent_not_found",
      "/agent_id"
    ])
    assert.deepStrictEqual(yield* refused({ phone_number: "+19005550100" }, "param"), [
      422,
      "number_not_allowed",
      "/phone_number"
    ])
    assert.deepStrictEqual(yield* refused({ variables: {} }, "missing"), [
      422,
      "missing_variables",
      Object.keys(variables)
    ])
  }),

  "refuses times that make no sense": Effect.gen(function*() {
    const wrong = [
      [{ not_before: "tomorrow" }, "/not_before"],
      [{ not_before: "2026-03-02T10:00:00" }, "/not_before"],
      [{ not_before: yield* later("400 days") }, "/not_before"],
      [{ expires_at: yield* later("1 hour") }, "/expires_at"]
    ] as const
    for (const [overrides, param] of wrong) {
      const answer = yield* post("/v1/calls", { body: yield* callRequest(overrides) })
      assert.deepStrictEqual(refusal(answer, "param", "location"), [400, "invalid_request", param, "body"])
    }
  }),

  "cancels a queued call once": Effect.gen(function*() {
    const { id } = yield* startedCall()
    const canceled = yield* post(`/v1/calls/${id}/cancel`)
    assert.deepStrictEqual([canceled.status, canceled.body["status"], canceled.body["outcome"]], [
      200,
      "canceled",
      null
    ])
    const again = yield* post(`/v1/calls/${id}/cancel`)
    assert.deepStrictEqual(refusal(again, "call_id", "call_status"), [409, "call_not_cancelable", id, "canceled"])
  }),

  "returns the transcript of a call, and the turns after a sequence number": Effect.gen(function*() {
    const { id: queued } = yield* startedCall()
    const waiting = yield* get(`/v1/calls/${queued}/transcript`)
    assert.deepStrictEqual([waiting.status, waiting.body], [
      200,
      { object: "transcript", call_id: queued, sealed: false, turns: [] }
    ])
    const { not_before: _, ...request } = yield* callRequest({ test: true })
    const { body: { id, outcome } } = yield* post("/v1/calls", { body: request })
    const turns = outcome.transcript.map((turn: object, index: number) => ({ sequence: index + 1, ...turn }))
    assert.isNotEmpty(turns)
    const whole = yield* get(`/v1/calls/${id}/transcript`)
    assert.deepStrictEqual(whole.body, { object: "transcript", call_id: id, sealed: true, turns })
    assert.deepStrictEqual((yield* get(`/v1/calls/${id}/transcript?after=1`)).body["turns"], turns.slice(1))
    assert.deepStrictEqual(refusal(yield* get(`/v1/calls/${id}/transcript?after=x`), "param", "location"), [
      400,
      "invalid_request",
      "/after",
      "query"
    ])
    assert.deepStrictEqual(refusal(yield* get("/v1/calls/call_0/transcript")), [404, "not_found"])
  }),

  "streams a transcript as server-sent events, from the last event that the client has received": Effect.gen(
    function*() {
      const { not_before: _, ...request } = yield* callRequest({ test: true })
      const { body: { id, outcome } } = yield* post("/v1/calls", { body: request })
      const turns: ReadonlyArray<object> = outcome.transcript
      const events = turns.map((turn, index) =>
        `id: ${index + 1}\nevent: turn\ndata: ${JSON.stringify({ sequence: index + 1, ...turn })}\n\n`
      )
      const end = `event: sealed\ndata: ${JSON.stringify({ call_id: id })}\n\n`
      const received = (headers: Readonly<Record<string, string>>) =>
        Effect.gen(function*() {
          const response = yield* stream(id, headers)
          assert.strictEqual(response.status, 200)
          assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/)
          assert.strictEqual(response.headers.get("cache-control"), "no-store")
          const text = yield* Effect.promise(() => response.text())
          return text.replaceAll(":\n\n", "")
        })
      assert.strictEqual(yield* received({}), events.join("") + end)
      assert.strictEqual(yield* received({ "last-event-id": "1" }), events.slice(1).join("") + end)
      assert.strictEqual(yield* received({ "last-event-id": "99" }), end)
    }
  ),

  "refuses an eleventh stream, and takes it when a client has gone away": Effect.gen(function*() {
    const { id } = yield* startedCall()
    const streams = yield* Effect.forEach(Array.from({ length: 10 }), () => stream(id))
    assert.deepStrictEqual(streams.map(({ status }) => status), Array.from({ length: 10 }, () => 200))
    const sent = { headers: { accept: "text/event-stream" } }
    assert.deepStrictEqual(refusal(yield* get(`/v1/calls/${id}/transcript`, sent)), [429, "too_many_streams"])
    yield* Effect.promise(async () => streams[0]?.body?.cancel())
    // The server learns of it from the connection.
    const again = yield* stream(id).pipe(
      Effect.filterOrFail(({ status }) => status === 200),
      Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 100 })
    )
    yield* Effect.forEach([...streams.slice(1), again], ({ body }) => Effect.promise(async () => body?.cancel()))
  }),

  "lists calls newest first, page by page, each once": Effect.gen(function*() {
    const mark = yield* freshKey
    const ids: Array<string> = []
    for (let made = 0; made < 5; made++) ids.unshift((yield* startedCall({ contact: { external_id: mark } }))["id"])
    const path = `/v1/calls?external_id=${mark}`
    for (const limit of [1, 2, 5, 6]) {
      assert.deepStrictEqual((yield* walk(path, limit)).map(({ id }) => id), ids)
    }
    const { body } = yield* get(`${path}&limit=2`)
    yield* startedCall({ contact: { external_id: mark } })
    const next = yield* get(`${path}&limit=2&cursor=${body["next_cursor"]}`)
    assert.deepStrictEqual(next.body["data"].map(({ id }: { readonly id: string }) => id), ids.slice(2, 4))
  }),

  "narrows the list by every filter": Effect.gen(function*() {
    const { agentId } = yield* Target
    const mark = yield* freshKey
    const first = yield* startedCall({ contact: { external_id: mark } })
    const second = yield* startedCall({ contact: { external_id: mark }, test: true })
    const digits = String(first["phone_number"]).slice(1)
    const expected: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
      ["status=queued", [first["id"]]],
      ["status=queued&status=completed", [second["id"], first["id"]]],
      ["test=true", [second["id"]]],
      ["test=false", [first["id"]]],
      [`agent_id=${agentId}`, [second["id"], first["id"]]],
      ["agent_id=00000000-0000-4000-8000-00000000dead", []],
      ["batch_id=batch_1", []],
      [`phone_number=%2B${digits}`, [first["id"]]],
      [`phone_number=+${digits}`, [first["id"]]],
      [`phone_number=00${digits}`, [first["id"]]],
      [`created_after=${second["created_at"]}`, []],
      ["created_after=2020-01-01T00:00:00Z&created_before=2020-01-02", []],
      [`created_before=${yield* later("1 hour")}`, [second["id"], first["id"]]]
    ]
    for (const [filter, ids] of expected) {
      const { body } = yield* get(`/v1/calls?external_id=${mark}&${filter}`)
      assert.deepStrictEqual(body["data"]?.map(({ id }: { readonly id: string }) => id), ids, filter)
    }
  }),

  "refuses filters that it cannot read or does not know": Effect.gen(function*() {
    const wrong = [
      ["limit=0", "/limit"],
      ["limit=-1", "/limit"],
      ["limit=1.5", "/limit"],
      ["limit=", "/limit"],
      ["cursor=nope", "/cursor"],
      ["cursor=", "/cursor"],
      ["created_after=yesterday", "/created_after"],
      ["created_before=5", "/created_before"],
      ["status=ringing", "/status/0"],
      ["agent_id=ada", "/agent_id"],
      ["batch_id=call_1", "/batch_id"],
      ["phone_number=x", "/phone_number"],
      ["test=1", "/test"],
      ["fooBar=1", "/fooBar"]
    ] as const
    for (const [query, param] of wrong) {
      const answer = yield* get(`/v1/calls?${query}`)
      assert.deepStrictEqual(refusal(answer, "param", "location"), [400, "invalid_request", param, "query"], query)
    }
    assert.strictEqual((yield* get("/v1/calls?limit=99999999999999999999")).status, 200)
  })
}
