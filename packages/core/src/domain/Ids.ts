/**
 * The ids of all stored objects. New ids sort by creation (ULID) after a prefix that names the kind; agents are UUIDs,
 * as in the spec. A well-formed id need not exist.
 */
import { Effect, Schema, SchemaGetter } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

// Patterns carry the flag `u` everywhere: only such are shown in the OpenAPI document.
/** Any length after the prefix: an id that was never issued is unknown, not malformed. */
const prefixed = <const Prefix extends string>(prefix: Prefix) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-9A-Za-z]+$`, "u"), {
      message: `must be an id that begins with "${prefix}_"`
    })
  )

/** `acct_…` */
export const AccountId = prefixed("acct").pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** A UUID, in lower case. */
export const AgentId = Schema.String.pipe(
  // RFC 9562 §4: upper case is read like lower case.
  Schema.decode({
    decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
    encode: SchemaGetter.passthrough()
  }),
  Schema.check(Schema.isUUID(undefined, { message: "must be a UUID" })),
  Schema.brand("AgentId")
)
export type AgentId = typeof AgentId.Type

/** `call_…` */
export const CallId = prefixed("call").pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

/** `batch_…` */
export const BatchId = prefixed("batch").pipe(Schema.brand("BatchId"))
export type BatchId = typeof BatchId.Type

/** `evt_…`: the same on every attempt to deliver the event. */
export const EventId = prefixed("evt").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** `dlv_…` */
export const DeliveryId = prefixed("dlv").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** `key_…` */
export const ApiKeyId = prefixed("key").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** `wrk_…` */
export const WorkerId = prefixed("wrk").pipe(Schema.brand("WorkerId"))
export type WorkerId = typeof WorkerId.Type

/** `session_…`: of a user of the console. */
export const ConsoleSessionId = prefixed("session").pipe(Schema.brand("ConsoleSessionId"))
export type ConsoleSessionId = typeof ConsoleSessionId.Type

/** `link_…`: of a link to the console that has not been used. */
export const ConsoleLinkId = prefixed("link").pipe(Schema.brand("ConsoleLinkId"))
export type ConsoleLinkId = typeof ConsoleLinkId.Type

/** `audit_…` */
export const AuditEntryId = prefixed("audit").pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/** Proves that this claim holds the work, and no later one. Every result of claimed work carries it. */
export const ClaimToken = prefixed("claim").pipe(Schema.brand("ClaimToken"))
export type ClaimToken = typeof ClaimToken.Type

/** Names a carrier for good: it is stored with every call that is claimed for it. */
export const CarrierName = Schema.NonEmptyString.check(Schema.isMaxLength(64)).pipe(Schema.brand("CarrierName"))
export type CarrierName = typeof CarrierName.Type

/** The simulator as a carrier. */
export const simulatedCarrier = CarrierName.make("simulated")

/** The carrier's own name for a call. */
export const CarrierCallId = Schema.NonEmptyString.pipe(Schema.brand("CarrierCallId"))
export type CarrierCallId = typeof CarrierCallId.Type

const ulid = Effect.flatMap(SecureRandom.SecureRandom, (random) => random.ulid)

export const makeAccountId = Effect.map(ulid, (id) => AccountId.make(`acct_${id}`))
export const makeCallId = Effect.map(ulid, (id) => CallId.make(`call_${id}`))
export const makeBatchId = Effect.map(ulid, (id) => BatchId.make(`batch_${id}`))
export const makeApiKeyId = Effect.map(ulid, (id) => ApiKeyId.make(`key_${id}`))
export const makeEventId = Effect.map(ulid, (id) => EventId.make(`evt_${id}`))
export const makeWorkerId = Effect.map(ulid, (id) => WorkerId.make(`wrk_${id}`))
export const makeConsoleSessionId = Effect.map(ulid, (id) => ConsoleSessionId.make(`session_${id}`))
export const makeAuditEntryId = Effect.map(ulid, (id) => AuditEntryId.make(`audit_${id}`))
export const makeClaimToken = Effect.map(ulid, (id) => ClaimToken.make(`claim_${id}`))
export const makeAgentId = Effect.flatMap(
  SecureRandom.SecureRandom,
  (random) => Effect.map(random.uuidV4(), (id) => AgentId.make(id))
)

/** The id of a call's terminal event, derived from the call's id, so that there can be only one. */
export const terminalEventId = (callId: CallId): EventId => EventId.make(`evt_${callId.slice("call_".length)}`)

/** The id of a batch's completion event. */
export const completionEventId = (batchId: BatchId): EventId => EventId.make(`evt_${batchId.slice("batch_".length)}`)

/** The ULID of the call or batch in the id of its event. */
export const ulidLength = 26

/** The call or the batch of the event with this id; one of the two. */
export const subjectOf = (id: EventId): { readonly callId: CallId; readonly batchId: BatchId } => {
  const ulid = id.slice("evt_".length, "evt_".length + ulidLength)
  return { callId: CallId.make(`call_${ulid}`), batchId: BatchId.make(`batch_${ulid}`) }
}

/** The id of an event's delivery to its account's webhook endpoint: one per event. */
export const deliveryId = (eventId: EventId): DeliveryId => DeliveryId.make(`dlv_${eventId.slice("evt_".length)}`)

/** The id of an event's delivery to a subscriber: one per event and name. */
export const subscriberDeliveryId = (eventId: EventId, name: string): DeliveryId =>
  // The suffix of a progress event's kind is in lower case, so that a capital begins the next part.
  DeliveryId.make(`${deliveryId(eventId)}S${Hex.encode(name)}`)
