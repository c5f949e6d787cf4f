/**
 * The public forms in snake_case, for HTTP responses and event bodies. The mapping is mechanical and only here. Names
 * chosen by users (variables, answers, metadata) are not mapped.
 */
import { Schema, String as Str } from "effect"
import { Batch, BatchCallRow, RejectedRow } from "./Batch.ts"
import { Call, Contact } from "./Call.ts"
import { CarrierReason } from "./CarrierReason.ts"
import { DoNotCallEntry } from "./DoNotCall.ts"
import { Explanation, Verdict } from "./Explanation.ts"
import { field, like } from "./FieldDocs.ts"
import { ModelUsage } from "./ModelUsage.ts"
import { AnswerEvidence, Evidence, Meeting, Outcome, TranscriptTurn } from "./Outcome.ts"
import { NumberedTurn, Transcript } from "./Transcript.ts"
import { Webhook, WebhookTest } from "./WebhookEndpoint.ts"

export type Snake<S extends string> = S extends `${infer H}${infer T}` ? H extends Lowercase<H> ? `${H}${Snake<T>}`
  : `_${Lowercase<H>}${Snake<T>}`
  : S

type SnakeKeys<F> = { readonly [K in keyof F]: K extends string ? Snake<K> : K & PropertyKey }

/** The struct with its keys encoded in snake_case; nested structs are the caller's to map. The identifier is its name in the OpenAPI document. */
export const snakeKeys = <const F extends Schema.Struct.Fields>(self: Schema.Struct<F>, identifier?: string) => {
  const encoded = Schema.encodeKeys<Schema.Struct<F>, SnakeKeys<F>>(
    // The keys are those of the struct, mapped one by one, as the type says.
    Object.fromEntries(Object.keys(self.fields).map((key) => [key, Str.camelToSnake(key)])) as unknown as SnakeKeys<F>
  )(self)
  return identifier === undefined ? encoded : encoded.pipe(Schema.annotateEncoded({ identifier }))
}

export const ContactWire = snakeKeys(Contact, "Contact")

const ModelUsageWire = snakeKeys(ModelUsage, "ModelUsage")

const EvidenceWire = snakeKeys(
  Schema.Struct({
    ...Evidence.fields,
    answers: like(
      Evidence.fields.answers,
      Schema.Record(Schema.String, snakeKeys(AnswerEvidence, "AnswerEvidence"))
    ),
    usage: like(Evidence.fields.usage, Schema.optionalKey(Schema.Array(ModelUsageWire)))
  }),
  "Evidence"
)

export const OutcomeWire = snakeKeys(
  Schema.Struct({
    ...Outcome.fields,
    meeting: like(Outcome.fields.meeting, Schema.optionalKey(snakeKeys(Meeting, "Meeting"))),
    evidence: like(Outcome.fields.evidence, Schema.optionalKey(EvidenceWire)),
    transcript: like(Outcome.fields.transcript, Schema.Array(snakeKeys(TranscriptTurn)))
  }),
  "Outcome"
)

/** A call as `GET /v1/calls/{id}` returns it. */
export const CallWire = snakeKeys(
  Schema.Struct({
    ...Call.fields,
    contact: like(Call.fields.contact, ContactWire),
    carrierReason: like(
      Call.fields.carrierReason,
      Schema.optionalKey(snakeKeys(CarrierReason, "CarrierReason"))
    ),
    usage: like(Call.fields.usage, Schema.optionalKey(Schema.Array(ModelUsageWire))),
    outcome: like(Call.fields.outcome, Schema.NullOr(OutcomeWire))
  }),
  "Call"
)

/** A call as JSON holds it: timestamps are strings. */
export const CallJson = Schema.toCodecJson(CallWire)

export const RejectedRowWire = snakeKeys(RejectedRow, "RejectedRow")

/** A batch as `GET /v1/batches/{id}` returns it. */
export const BatchWire = snakeKeys(
  Schema.Struct({
    ...Batch.fields,
    calls: like(
      Batch.fields.calls,
      Schema.optionalKey(Schema.Array(snakeKeys(BatchCallRow, "BatchCall")))
    ),
    rejected: like(Batch.fields.rejected, Schema.optionalKey(Schema.Array(RejectedRowWire)))
  }),
  "Batch"
)

/** The explanation of a call; `data` is in snake_case everywhere. */
export const ExplanationWire = snakeKeys(
  Schema.Struct({
    ...Explanation.fields,
    rules: like(Explanation.fields.rules, Schema.Array(snakeKeys(Verdict, "Verdict")))
  }),
  "Explanation"
)

/** A turn of a transcript, with its number. */
export const NumberedTurnWire = snakeKeys(NumberedTurn, "NumberedTurn")

/** The transcript of a call as `GET /v1/calls/{id}/transcript` returns it. */
export const TranscriptWire = snakeKeys(
  Schema.Struct({ ...Transcript.fields, turns: like(Transcript.fields.turns, Schema.Array(NumberedTurnWire)) }),
  "Transcript"
)

/** An entry of the do-not-call list. */
export const DoNotCallEntryWire = snakeKeys(
  Schema.Struct({
    object: field(Schema.Literal("do_not_call_entry"), "Always `do_not_call_entry`.", "do_not_call_entry"),
    ...DoNotCallEntry.fields
  }),
  "DoNotCallEntry"
)

export const WebhookWire = snakeKeys(Webhook, "Webhook")

export const WebhookTestWire = snakeKeys(WebhookTest, "WebhookTest")
