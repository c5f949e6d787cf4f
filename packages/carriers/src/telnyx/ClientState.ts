/**
 * What Telnyx keeps with a call for us, and returns with every webhook and in its lists: which call it is, and what a process needs that
 * has never heard of it.
 */
import { Ids } from "@outdial/core"
import { Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

const ClientState = Schema.Struct({
  accountId: Ids.AccountId,
  callId: Ids.CallId,
  /** By when the call must have been placed, in milliseconds. */
  by: Schema.Finite,
  /** The agent leaves a message on a machine, so that the end of the greeting counts. */
  leavesMessage: Schema.Boolean,
  /** How often the call has been connected with the conversation. */
  connections: Schema.Int,
  language: Schema.optionalKey(Schema.String),
  voice: Schema.optionalKey(Schema.String),
  /** The agent may transfer the call. */
  mayTransfer: Schema.optionalKey(Schema.Literal(true)),
  /** When the command was sent that connects the contact with a number in place of the conversation, in milliseconds. */
  transferredAt: Schema.optionalKey(Schema.Finite),
  /** Of the call to that number: Telnyx's id of the contact's call. */
  contact: Schema.optionalKey(Schema.String)
})
export type ClientState = typeof ClientState.Type

const Json = Schema.fromJsonString(ClientState)

export const encode = (state: ClientState): string => Base64.encode(Schema.encodeSync(Json)(state))

/** The state once the call is connected with the conversation again. */
export const connectedAgain = (
  { contact: _, transferredAt: __, ...state }: ClientState
): ClientState => ({ ...state, connections: state.connections + 1 })

/** None when it is not ours. */
export const decode = (text: string | null | undefined): Option.Option<ClientState> =>
  Option.flatMap(Result.getSuccess(Base64.decodeString(text ?? "")), decodeJson)

const decodeJson = Schema.decodeUnknownOption(Json)
