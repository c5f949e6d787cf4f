/** Each endpoint as one call to an engine service. */
import {
  Agents,
  Batches,
  Calls,
  DoNotCallList,
  Engine,
  Events,
  FeedCursor,
  Page,
  Readiness,
  RecordingLinks,
  Rules,
  Webhooks
} from "@outdial/core"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { shownAgent } from "../account/AgentsApi.ts"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import { rowForm } from "../call/BatchesApi.ts"
import { entryToWire, toPage } from "../do-not-call/DoNotCallApi.ts"
import { shownDelivery } from "../event/EventsApi.ts"
import { toList, toListJson } from "../edge/Lists.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

const calls = HttpApiBuilder.group(
  Api,
  "calls",
  Effect.fnUntraced(function*(handlers) {
    const calls = yield* Calls.Calls
    const rules = yield* Rules.Rules
    return handlers.handleAll({
      start: Effect.fnUntraced(function*({ headers, payload }) {
        const { accountId } = yield* CurrentAccess
        const call = yield* Effect.mapError(calls.start(accountId, payload, idempotency(headers)), ApiErrors.from)
        return call.idempotentReplay === true ? replayed(call) : call
      }),
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const { status, ...rest } = query
        const filter = { ...rest, ...(status !== undefined && { statuses: status }) }
        const found = calls.list(accountId, filter, Page.pageRequest(query))
        const page = yield* Effect.mapError(found, ApiErrors.fromAt("query"))
        return toList(page, (call) => call)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(calls.get(accountId, params.id), ApiErrors.from)
      }),
      cancel: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(calls.cancel(accountId, params.id), ApiErrors.from)
      }),
      explain: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(rules.explain(accountId, params.id), ApiErrors.from)
      }),
      preview: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(rules.preview(accountId, payload), ApiErrors.from)
      })
    })
  })
)

const idempotency = ({ "idempotency-key": idempotencyKey }: { readonly "idempotency-key"?: string }) =>
  idempotencyKey === undefined ? {} : { idempotencyKey }

const replayed = <A>(body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { "idempotent-replayed": "true" as const } })

const recordings = HttpApiBuilder.group(
  Api,
  "recordings",
  Effect.fnUntraced(function*(handlers) {
    const links = yield* RecordingLinks.RecordingLinks
    return handlers.handleAll({
      open: Effect.fnUntraced(function*({ params, query: { account = "", expires = "", signature = "" } }) {
        const claims = { account, expires, signature }
        const { url } = yield* HttpServerRequest.HttpServerRequest
        // Parsers read many spellings of one address.
        if (url !== RecordingLinks.addressOf(params.id, claims)) {
          return yield* ApiErrors.from(RecordingLinks.noRecording)
        }
        const { bytes, mediaType } = yield* Effect.mapError(links.open(params.id, claims), ApiErrors.from)
        return HttpServerResponse.uint8Array(bytes, { contentType: mediaType })
      })
    })
  })
)

const batches = HttpApiBuilder.group(
  Api,
  "batches",
  Effect.fnUntraced(function*(handlers) {
    const batches = yield* Batches.Batches
    return handlers.handleAll({
      start: Effect.fnUntraced(function*({ headers, payload }) {
        const { accountId } = yield* CurrentAccess
        const options = { ...idempotency(headers), rowForm }
        const batch = yield* Effect.mapError(batches.start(accountId, payload, options), ApiErrors.from)
        return batch.idempotentReplay === true ? replayed(batch) : batch
      }),
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const page = yield* Effect.mapError(batches.list(accountId, Page.pageRequest(query)), ApiErrors.from)
        return toList(page, (batch) => batch)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(batches.get(accountId, params.id), ApiErrors.from)
      }),
      cancel: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(batches.cancel(accountId, params.id), ApiErrors.from)
      })
    })
  })
)

const agents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents.Agents
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const all = yield* Effect.mapError(agents.list(accountId), ApiErrors.from)
        // An account has so few agents that the engine lists them whole.
        return toList(Page.cut(all, Page.pageRequest(query)), shownAgent)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return shownAgent(yield* Effect.mapError(agents.get(accountId, params.id), ApiErrors.from))
      })
    })
  })
)

const doNotCall = HttpApiBuilder.group(
  Api,
  "doNotCall",
  Effect.fnUntraced(function*(handlers) {
    const doNotCall = yield* DoNotCallList.DoNotCallList
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const page = yield* Effect.mapError(doNotCall.list(accountId, Page.pageRequest(query)), ApiErrors.from)
        return toList(toPage(page), ({ entry }) => entryToWire(entry))
      }),
      add: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        const result = yield* Effect.mapError(doNotCall.add(accountId, payload.phoneNumbers), ApiErrors.from)
        return { object: "do_not_call_addition" as const, ...result }
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        const found = doNotCall.get(accountId, params.phone_number)
        return entryToWire(yield* Effect.mapError(found, ApiErrors.fromAt("path")))
      }),
      remove: Effect.fnUntraced(function*({ params: { phone_number: written } }) {
        const { accountId } = yield* CurrentAccess
        const phoneNumber = yield* Effect.mapError(doNotCall.numberOf(accountId, written), ApiErrors.fromAt("path"))
        yield* doNotCall.remove(accountId, phoneNumber).pipe(
          // Off the list is what was asked for, whoever did it.
          Effect.catchTag("NotFound", () => Effect.void),
          Effect.mapError(ApiErrors.from)
        )
        return { object: "do_not_call_entry" as const, phoneNumber, deleted: true as const }
      })
    })
  })
)

const webhook = HttpApiBuilder.group(
  Api,
  "webhook",
  Effect.fnUntraced(function*(handlers) {
    const webhooks = yield* Webhooks.Webhooks
    return handlers.handleAll({
      set: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.set(accountId, payload), ApiErrors.from)
      }),
      get: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.get(accountId), ApiErrors.from)
      }),
      remove: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentAccess
        yield* Effect.mapError(webhooks.remove(accountId), ApiErrors.from)
        return { object: "webhook" as const, deleted: true as const }
      }),
      rotateSecret: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.rotateSecret(accountId, payload ?? {}), ApiErrors.from)
      }),
      test: Effect.fnUntraced(function*() {
        const { accountId } = yield* CurrentAccess
        return yield* Effect.mapError(webhooks.test(accountId), ApiErrors.from)
      })
    })
  })
)

const deliveries = HttpApiBuilder.group(
  Api,
  "deliveries",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* Events.Events
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const { state, ...rest } = query
        const filter = { ...rest, ...(state !== undefined && { states: state }) }
        const page = events.listDeliveries(accountId, filter, Page.pageRequest(query))
        return toList(yield* Effect.mapError(page, ApiErrors.from), shownDelivery)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return shownDelivery(yield* Effect.mapError(events.getDelivery(accountId, params.id), ApiErrors.from))
      }),
      recover: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        const recovered = yield* Effect.mapError(events.recover(accountId, payload), ApiErrors.from)
        return { object: "webhook_recovery" as const, events: recovered }
      })
    })
  })
)

const events = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* Events.Events
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const page = yield* Effect.mapError(events.list(accountId, query, Page.pageRequest(query)), ApiErrors.from)
        return HttpServerResponse.jsonUnsafe(toListJson(page, ({ body }): unknown => JSON.parse(body)))
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        const { body } = yield* Effect.mapError(events.get(accountId, params.id), ApiErrors.from)
        // As it was written: read by today's schema, an event of an earlier version would lose fields or fail.
        return HttpServerResponse.text(body, { contentType: "application/json" })
      }),
      feed: Effect.fnUntraced(function*({ query: { cursor: after = 0, limit } }) {
        const { accountId } = yield* CurrentAccess
        const page = events.feed(accountId, { after, limit: Page.limitOf(limit) })
        const { hasMore, items } = yield* Effect.mapError(page, ApiErrors.from)
        return HttpServerResponse.jsonUnsafe({
          object: "list",
          data: items.map(({ body }): unknown => JSON.parse(body)),
          has_more: hasMore,
          next_cursor: FeedCursor.toCursor(items.at(-1)?.position ?? after)
        })
      }),
      redeliver: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return shownDelivery(yield* Effect.mapError(events.redeliver(accountId, params.id), ApiErrors.from))
      })
    })
  })
)

const system = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function*(handlers) {
    const { timeZones: { tzdata, version } } = yield* Engine.Engine
    const readiness = yield* Readiness.Readiness
    const timeZones = { version, ...(tzdata !== undefined && { tzdata }) }
    return handlers.handleAll({
      health: () => Effect.succeed({ status: "ok" as const, timeZones }),
      ready: () =>
        Effect.flatMap(
          readiness.reasons,
          (reasons) =>
            reasons.length === 0
              ? Effect.succeed({ status: "ready" as const })
              : Effect.fail(ApiErrors.notReady(reasons))
        )
    })
  })
)

/** Every group of the contract, over the engine's services. */
export const layer = Layer.mergeAll(calls, recordings, batches, agents, doNotCall, webhook, deliveries, events, system)
