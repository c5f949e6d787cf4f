/**
 * The public forms in snake_case, as HTTP answers and event bodies carry them. The mapping is mechanical and stands here
 * alone; what users name themselves (variables, answers, metadata) is left as it is.
 */
import { Schema, String as Str } from "effect"
import { Batch, BatchCallRow, RejectedRow } from "./Batch.ts"
import { Call, Contact } from "./Call.ts"
import { DoNotCallEntry } from "./DoNotCall.ts"
import { Explanation, Verdict } from "./Explanation.ts"
import { Meeting, Outcome } from "./Outcome.ts"
import { Webhook, WebhookTest } from "./WebhookEndpoint.ts"

type Snake<S extends string> = S extends `${infer H}${infer T}` ? H extends Lowercase<H> ? `${H}${Snake<T>}`
  : `_${Lowercase<H>}${Snake<T>}`
  : S

type SnakeKeys<F> = { readonly [K in keyof F]: K extends string ? Snake<K> : K & PropertyKey }

/** The struct with its keys encoded in snake_case; nested structs are the caller's to map. */
export const snakeKeys = <const F extends Schema.Struct.Fields>(self: Schema.Struct<F>) =>
  Schema.encodeKeys<Schema.Struct<F>, SnakeKeys<F>>(
    // The keys are those of the struct, mapped one by one, which is what the type says.
    Object.fromEntries(Object.keys(self.fields).map((key) => [key, Str.camelToSnake(key)])) as unknown as SnakeKeys<F>
  )(self)

/** Gives the form its name in the OpenAPI document. */
const named = (identifier: string) => <S extends Schema.Top>(self: S): S["Rebuild"] =>
  Schema.annotateEncoded<S>({ identifier })(self)

export const ContactWire = snakeKeys(Contact).pipe(named("Contact"))

export const OutcomeWire = snakeKeys(Schema.Struct({
  ...Outcome.fields,
  meeting: Schema.optionalKey(snakeKeys(Meeting).pipe(named("Meeting")))
})).pipe(named("Outcome"))

/** A call as `GET /v1/calls/{id}` answers it. */
export const CallWire = snakeKeys(Schema.Struct({
  ...Call.fields,
  contact: ContactWire,
  outcome: Schema.NullOr(OutcomeWire)
})).pipe(named("Call"))

/** A call as JSON holds it: timestamps are strings. */
export const CallJson = Schema.toCodecJson(CallWire)

export const RejectedRowWire = snakeKeys(RejectedRow).pipe(named("RejectedRow"))

/** A batch as `GET /v1/batches/{id}` answers it. */
export const BatchWire = snakeKeys(Schema.Struct({
  ...Batch.fields,
  calls: Schema.optionalKey(Schema.Array(snakeKeys(BatchCallRow).pipe(named("BatchCall")))),
  rejected: Schema.optionalKey(Schema.Array(RejectedRowWire))
})).pipe(named("Batch"))

/** What the rules make of a call; `data` is in snake_case everywhere. */
export const ExplanationWire = snakeKeys(Schema.Struct({
  ...Explanation.fields,
  rules: Schema.Array(snakeKeys(Verdict).pipe(named("Verdict")))
})).pipe(named("Explanation"))

/** An entry of the do-not-call list. */
export const DoNotCallEntryWire = snakeKeys(Schema.Struct({
  object: Schema.Literal("do_not_call_entry"),
  ...DoNotCallEntry.fields
})).pipe(named("DoNotCallEntry"))

export const WebhookWire = snakeKeys(Webhook).pipe(named("Webhook"))

export const WebhookTestWire = snakeKeys(WebhookTest).pipe(named("WebhookTest"))
