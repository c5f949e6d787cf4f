import { assert, describe, it } from "@effect/vitest"
import type { Brand, DateTime } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Api } from "../../src/index.ts"
import type { PromiseClient } from "../../src/client/PromiseClient.ts"
import type { List } from "../../src/client/PromiseList.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer All> ? All : never
type Endpoint<Group extends string, Name extends string> = HttpApiEndpoint.WithIdentifier<
  HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, Group>>,
  Name
>

/** What a field of the contract is in plain TypeScript: ids are text, and instants are what `Instant` says. Statuses are no names. */
type Plain<A, Instant> = A extends DateTime.Utc ? Instant
  : A extends Brand.Brand<string> ? string
  : A extends string | number | boolean | null | undefined | Date ? A
  : A extends ReadonlyArray<infer Item> ? ReadonlyArray<Plain<Item, Instant>>
  : { readonly [K in keyof A as K extends string ? Camel<K> : K]: K extends "counts" ? A[K] : Plain<A[K], Instant> }
type Camel<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K

type TypeOf<Schema> = Schema extends { readonly Type: infer A } ? A : never

/** The answer of an endpoint without its headers, the item of a list, the body and the query. */
type Answer<G extends string, E extends string> = Plain<
  Extract<TypeOf<HttpApiEndpoint.Success<Endpoint<G, E>>>, { readonly object: string }>,
  Date
>
type Item<G extends string, E extends string> = Answer<G, E> extends { readonly data: ReadonlyArray<infer A> } ? A
  : never
type Body<G extends string, E extends string> = Plain<
  Exclude<TypeOf<HttpApiEndpoint.Payload<Endpoint<G, E>>>, null>,
  Date | string
>
/** The contract decodes cursors. */
type Query<G extends string, E extends string> =
  & Plain<Omit<TypeOf<HttpApiEndpoint.Query<Endpoint<G, E>>>, "cursor">, Date | string>
  & { readonly cursor?: string }

/** What a method of the promise client resolves to, and what it takes. */
type Resolved<Method> = Method extends (...all: infer _) => infer Promised
  ? Promised extends List<infer A> ? A : Awaited<Promised>
  : never
type Given<Method> = Method extends (...all: infer All) => unknown ? Plain<Exclude<All[0], undefined>, Date | string>
  : never

/** Each can stand for the other, and none has a field that the other lacks. What is not found is not the same. */
type Same<A, B> = [A] extends [never] ? false
  : [A, keyof A] extends [B, keyof B] ? [B, keyof B] extends [A, keyof A] ? true : false
  : false

type P = PromiseClient
type Different = {
  readonly [Name in keyof Comparisons]: Comparisons[Name] extends true ? never : Name
}[keyof Comparisons]

/** Without the rows of a batch, which the contract reads one by one. */
interface Comparisons {
  readonly "calls.start answer": Same<Answer<"calls", "start">, Resolved<P["calls"]["start"]>>
  readonly "calls.start body": Same<Body<"calls", "start">, Given<P["calls"]["start"]>>
  readonly "calls.get answer": Same<Answer<"calls", "get">, Resolved<P["calls"]["get"]>>
  readonly "calls.list item": Same<Item<"calls", "list">, Resolved<P["calls"]["list"]>>
  readonly "calls.list query": Same<Query<"calls", "list">, Given<P["calls"]["list"]>>
  readonly "calls.cancel answer": Same<Answer<"calls", "cancel">, Resolved<P["calls"]["cancel"]>>
  readonly "calls.explain answer": Same<Answer<"calls", "explain">, Resolved<P["calls"]["explain"]>>
  readonly "calls.transcript answer": Same<Answer<"calls", "transcript">, Resolved<P["calls"]["transcript"]>>
  readonly "rules.preview answer": Same<Answer<"calls", "preview">, Resolved<P["rules"]["preview"]>>
  readonly "rules.preview body": Same<Body<"calls", "preview">, Given<P["rules"]["preview"]>>
  readonly "batches.start answer": Same<Answer<"batches", "start">, Resolved<P["batches"]["start"]>>
  readonly "batches.get answer": Same<Answer<"batches", "get">, Resolved<P["batches"]["get"]>>
  readonly "batches.list item": Same<Item<"batches", "list">, Resolved<P["batches"]["list"]>>
  readonly "batches.list query": Same<Query<"batches", "list">, Given<P["batches"]["list"]>>
  readonly "batches.cancel answer": Same<Answer<"batches", "cancel">, Resolved<P["batches"]["cancel"]>>
  readonly "agents.get answer": Same<Answer<"agents", "get">, Resolved<P["agents"]["get"]>>
  readonly "agents.create answer": Same<Answer<"agents", "create">, Resolved<P["agents"]["create"]>>
  readonly "agents.put answer": Same<Answer<"agents", "put">, Resolved<P["agents"]["put"]>>
  readonly "agents.archive answer": Same<Answer<"agents", "archive">, Resolved<P["agents"]["archive"]>>
  readonly "agents.list item": Same<Item<"agents", "list">, Resolved<P["agents"]["list"]>>
  readonly "agents.list query": Same<Query<"agents", "list">, Given<P["agents"]["list"]>>
  readonly "doNotCall.get answer": Same<Answer<"doNotCall", "get">, Resolved<P["doNotCall"]["get"]>>
  readonly "doNotCall.list item": Same<Item<"doNotCall", "list">, Resolved<P["doNotCall"]["list"]>>
  readonly "doNotCall.list query": Same<Query<"doNotCall", "list">, Given<P["doNotCall"]["list"]>>
  readonly "webhook.set answer": Same<Answer<"webhook", "set">, Resolved<P["webhook"]["set"]>>
  readonly "webhook.set body": Same<Body<"webhook", "set">, Given<P["webhook"]["set"]>>
  readonly "webhook.get answer": Same<Answer<"webhook", "get">, Resolved<P["webhook"]["get"]>>
  readonly "webhook.rotateSecret answer": Same<
    Answer<"webhook", "rotateSecret">,
    Resolved<P["webhook"]["rotateSecret"]>
  >
  readonly "webhook.rotateSecret body": Same<Body<"webhook", "rotateSecret">, Given<P["webhook"]["rotateSecret"]>>
  readonly "webhook.test answer": Same<Answer<"webhook", "test">, Resolved<P["webhook"]["test"]>>
  readonly "webhook.recover body": Same<Body<"deliveries", "recover">, Given<P["webhook"]["recover"]>>
  readonly "events.get answer": Same<Answer<"events", "get">, Resolved<P["events"]["get"]>>
  readonly "events.list item": Same<Item<"events", "list">, Resolved<P["events"]["list"]>>
  readonly "events.list query": Same<Query<"events", "list">, Given<P["events"]["list"]>>
  readonly "events.feed query": Same<Query<"events", "feed">, Given<P["events"]["feed"]>>
  readonly "events.redeliver answer": Same<Answer<"events", "redeliver">, Resolved<P["events"]["redeliver"]>>
  readonly "deliveries.get answer": Same<Answer<"deliveries", "get">, Resolved<P["deliveries"]["get"]>>
  readonly "deliveries.list item": Same<Item<"deliveries", "list">, Resolved<P["deliveries"]["list"]>>
  readonly "deliveries.list query": Same<Query<"deliveries", "list">, Given<P["deliveries"]["list"]>>
}

describe("the promise client", () => {
  it("has the types of the contract", () => {
    // Does not compile while one differs, and names it.
    const different: ReadonlyArray<Different> = []
    const none: ReadonlyArray<never> = different
    assert.deepStrictEqual(none, [])
  })
})
