/**
 * What an answered call is connected with at Telnyx: the relay that holds the conversation, the same again when its socket was lost, or the
 * number that the agent transfers the call to. Any process can decide it: the state of a call travels with it (`ClientState`).
 */
import { type CarrierTokens, type Conversations, type PhoneNumber, Storage } from "@outdial/core"
import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import * as CarrierCall from "../call/CarrierCall.ts"
import { mostConnections } from "../call/CarrierCall.ts"
import * as ClientState from "./ClientState.ts"
import type * as TelnyxApi from "./TelnyxApi.ts"
import * as TelnyxErrors from "./TelnyxErrors.ts"
import * as TelnyxEvents from "./TelnyxEvents.ts"

/** A genuine webhook of a call. */
export interface OfCall {
  readonly call: CarrierTokens.TokenCall
  readonly callControlId: string
  readonly data: TelnyxEvents.WebhookData
  readonly state: ClientState.ClientState
}

export interface TelnyxSessionsOptions {
  readonly api: TelnyxApi.TelnyxApi
  readonly conversations: Pick<Conversations.Conversations["Service"], "holding">
  readonly report: CarrierCall.Report
  readonly end: (callId: CarrierTokens.TokenCall["callId"], callControlId: string) => Effect.Effect<void>
  /** The address of our webhooks, or of the relay's socket. */
  readonly addressOf: (
    path: "events" | "relay",
    call: CarrierTokens.TokenCall,
    expiresAt: DateTime.Utc
  ) => Effect.Effect<string>
  /** Who takes a call that is transferred has heard no disclosure: the recording is stopped before. */
  readonly isRecorded: boolean
}

/** The longest that Telnyx lets a call last, in seconds. */
export const longestCall = 14_400

/** By when the call to a number has ended or is listed: Telnyx gives up after 45 seconds, and how soon it lists a call is not documented. */
const transferLists = Duration.minutes(2)

/** When a webhook is sent again that was not accepted, in milliseconds: at most five times and one minute in all. */
const retriesAfter = [1_000, 4_000, 10_000, 15_000, 30_000]

/** With its `command_id` a relay is safe to start again. Telnyx waits some seconds for our answers. */
const startAgain = { times: 3, schedule: Schedule.exponential("500 millis") }

export const make = ({ addressOf, api, conversations, end, isRecorded, report }: TelnyxSessionsOptions) => {
  /** Where the webhooks of a call are sent. */
  const webhooks = Effect.fnUntraced(function*(call: CarrierTokens.TokenCall, expiresAt: DateTime.Utc) {
    return {
      webhook_url: yield* addressOf("events", call, expiresAt),
      webhook_url_method: "POST",
      webhook_retries_policies: Object.fromEntries(
        Object.values(TelnyxEvents.names).map((name) => [name, { retries_ms: retriesAfter }])
      )
    }
  })

  /** The session of the relay that holds the conversation. */
  const relay = Effect.fnUntraced(function*(state: ClientState.ClientState, expiresAt: DateTime.Utc) {
    const { language, voice } = state
    return {
      url: yield* addressOf("relay", state, expiresAt),
      dtmf_detection: true,
      // The conversation decides what is an interruption, but no text can be dropped here that is being said.
      interruptible: "any",
      ...(language !== undefined && { language }),
      ...(voice !== undefined && { voice })
    }
  })

  /** The state that the latest command has given the call. */
  const latest = (callControlId: string) =>
    Effect.map(api.get(callControlId), Option.flatMap(({ client_state }) => ClientState.decode(client_state)))

  /** Fails when Telnyx does not answer. What it refuses is not asked for again. */
  const startRelay = Effect.fnUntraced(
    function*({ callId }: CarrierTokens.TokenCall, callControlId: string, command: Readonly<Record<string, unknown>>) {
      yield* Effect.retry(api.startRelay(callControlId, command), startAgain).pipe(
        Effect.tapError((error) => Effect.logWarning(`${callId} could not be connected again at Telnyx`, error)),
        Effect.catchIf(({ cause }) => cause instanceof TelnyxErrors.TelnyxError, () => Effect.void),
        Effect.mapError((cause) => new Storage.StorageError({ reason: "unavailable", cause }))
      )
    }
  )

  /**
   * Connects the call with the conversation again, after what the state says. Nothing happens if that was done, so that the webhook is an old
   * one. If Telnyx does not say, only the `command_id` protects, for a minute. Fails when Telnyx does not answer, so that it sends the webhook
   * again.
   */
  const connectAgain = Effect.fnUntraced(function*(
    { call, commandId, state }: Pick<OfCall, "call" | "state"> & { readonly commandId: string },
    callControlId: string,
    isOld: (latest: ClientState.ClientState) => boolean
  ) {
    // While storage is away, the call goes on.
    const goesOn = yield* Effect.orElseSucceed(report(call, callControlId, { _tag: "Alive" }), () => true)
    if (!goesOn) return
    if (yield* Effect.orElseSucceed(Effect.map(latest(callControlId), Option.exists(isOld)), () => false)) return
    if (state.connections >= mostConnections) return yield* end(call.callId, callControlId)
    const next = ClientState.connectedAgain(state)
    const session = yield* relay(next, CarrierCall.callbacksUntil(yield* DateTime.now))
    const client_state = ClientState.encode(next)
    yield* startRelay(call, callControlId, { ...session, command_id: commandId, client_state })
  })

  /** Whether the call to the number may go on, or may not be listed yet. */
  const mayBeTransferred = Effect.fnUntraced(function*(
    transferredAt: number,
    { callId }: CarrierTokens.TokenCall,
    callControlId: string
  ) {
    const now = yield* DateTime.now
    if (now.epochMilliseconds < transferredAt + Duration.toMillis(transferLists)) return true
    return (yield* api.active).some(({ client_state }) =>
      Option.exists(
        ClientState.decode(client_state),
        (state) => state.callId === callId && state.contact === callControlId
      )
    )
  })

  /**
   * What a look-up finds alive may have lost its conversation with a process, or its transfer, and the webhook of that as well. Such a call is
   * connected again, and one whose conversation is over is hung up: the contact would wait in silence.
   */
  const mend = Effect.fnUntraced(
    function*(call: CarrierTokens.TokenCall, callControlId: string, { client_state }: TelnyxApi.Call) {
      const state = Option.getOrUndefined(ClientState.decode(client_state))
      if (state?.callId !== call.callId) return
      const { connections, transferredAt } = state
      if (transferredAt !== undefined && (yield* mayBeTransferred(transferredAt, call, callControlId))) return
      const { accountId, callId } = call
      const holding = yield* conversations.holding({ accountId, callId })
      if (holding === "over") return yield* end(callId, callControlId)
      if (holding !== "left") return
      yield* connectAgain(
        { call: { accountId, callId }, commandId: `${callId} ${connections}`, state },
        callControlId,
        // A command may have followed while we asked.
        (latest) => latest.connections > connections || latest.transferredAt !== transferredAt
      )
    },
    (work, { callId }) =>
      Effect.catch(work, (error) => Effect.logWarning(`Whether ${callId} has a conversation is not known`, error))
  )

  /** Whether a later command has taken the call from the session with this state: a transfer, or another session. */
  const isTaken = (state: ClientState.ClientState) => ({ connections, transferredAt }: ClientState.ClientState) =>
    connections > state.connections || transferredAt !== undefined

  /**
   * The session is over. The call is connected again if its socket was lost, left to a transfer or session that has begun since, and otherwise
   * ended. Fails when Telnyx does not say, so that it sends the webhook again: a contact who talks must not be hung up.
   */
  const ended = Effect.fnUntraced(function*(webhook: OfCall) {
    const { call, callControlId, data, state } = webhook
    if (data.payload.reason === TelnyxEvents.socketLost) {
      return yield* connectAgain({ ...webhook, commandId: data.id }, callControlId, isTaken(state))
    }
    // A webhook that was sent before the command has the state before it.
    const isLeft = state.transferredAt !== undefined || (yield* Effect.mapBoth(latest(callControlId), {
      onSuccess: Option.exists(isTaken(state)),
      onFailure: (cause) => new Storage.StorageError({ reason: "unavailable", cause })
    }))
    if (!isLeft) yield* end(call.callId, callControlId)
  })

  /** Whether the call to a number, which is over, was answered. */
  const wasTaken = ({ payload }: TelnyxEvents.WebhookData) =>
    (payload.call_leg_id === undefined ? Effect.succeed([]) : api.past({ legId: payload.call_leg_id })).pipe(
      Effect.orElseSucceed(() => []),
      Effect.map((past) => TelnyxEvents.wasAnswered(payload, past))
    )

  /**
   * A webhook of the call to the number that the contact is transferred to. If nobody takes it, the conversation goes on; when it is over, so
   * is the contact's.
   */
  const ofTransfer = Effect.fnUntraced(function*(webhook: OfCall, contact: string) {
    const { call, callControlId, data, state } = webhook
    if (data.event_type !== TelnyxEvents.names.hangup) {
      // The contact may have hung up, and a phone must not ring for a call that is over.
      const goesOn = yield* report(call, contact, { _tag: "Alive" })
      return goesOn ? undefined : yield* end(call.callId, callControlId)
    }
    // Telnyx ends the contact's call with it, too.
    if (yield* wasTaken(data)) return yield* end(call.callId, contact)
    yield* connectAgain(
      { ...webhook, commandId: data.id },
      contact,
      ({ connections }) => connections > state.connections
    )
  })

  const stopRecording = ({ callId }: CarrierTokens.TokenCall, callControlId: string) =>
    Effect.catch(
      api.stopRecording(callControlId),
      (error) => Effect.logWarning(`The recording of ${callId} could not be stopped for its transfer`, error)
    )

  /**
   * Connects the contact with a number, in place of the conversation. Returns whether Telnyx does so; dies if that is not known: the relay is
   * then let go of, and Telnyx reports its loss.
   */
  const transfer = Effect.fnUntraced(function*({ call, callControlId, from, number }: {
    readonly call: CarrierTokens.TokenCall
    readonly callControlId: string
    /** The number that the contact was called from. Without one, Telnyx would show the contact's own. */
    readonly from: string | undefined
    readonly number: PhoneNumber.PhoneNumber
  }) {
    const state = Option.flatten(yield* Effect.option(latest(callControlId)))
    if (from === undefined || Option.isNone(state)) {
      yield* Effect.logWarning(`${call.callId} is not transferred: its number or its state at Telnyx is not known`)
      return false
    }
    if (isRecorded) yield* stopRecording(call, callControlId)
    const now = yield* DateTime.now
    const expiresAt = CarrierCall.callbacksUntil(now, Duration.seconds(longestCall))
    const command = {
      to: number,
      from,
      command_id: `${call.callId} ${now.epochMilliseconds}`,
      client_state: ClientState.encode({ ...state.value, transferredAt: now.epochMilliseconds }),
      target_leg_client_state: ClientState.encode({ ...state.value, contact: callControlId }),
      timeout_secs: CarrierCall.ringSeconds,
      ...(yield* webhooks(call, expiresAt))
    }
    return yield* api.transfer(callControlId, command).pipe(
      Effect.as(true),
      Effect.catch((failure) =>
        failure.reason === "unknown"
          ? Effect.die(failure)
          : Effect.as(Effect.logWarning(`Telnyx does not transfer ${call.callId}`, failure), false)
      )
    )
  })

  return { webhooks, relay, ended, mend, ofTransfer, transfer }
}
