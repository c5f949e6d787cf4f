/**
 * The one list of public errors. Each has a stable `code` and a message computed from its data, which says what to do.
 * `@outdial/http` decides their form on the wire.
 */
import { DateTime, Schema } from "effect"
import { pathText } from "./FieldPath.ts"
import { AgentId, BatchId, CallId } from "./Ids.ts"

const code = <const Code extends string>(value: Code) => Schema.tag(value)

/** One problem of a request: its path, and what to do about it. */
export const Problem = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  message: Schema.String
})
export type Problem = typeof Problem.Type

/** The request is wrong in itself. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  code: code("invalid_request"),
  problems: Schema.NonEmptyArray(Problem)
}) {
  override get message(): string {
    return this.problems.map(({ message, path }) => `${pathText(path) || "The request"} ${message}`).join("; ")
  }
}

/** A batch has more rows than a batch may have. */
export class BatchTooLarge extends Schema.TaggedError<BatchTooLarge>()("BatchTooLarge", {
  code: code("batch_too_large"),
  maxRows: Schema.Int
}) {
  override get message(): string {
    return `calls has more than ${this.maxRows} rows; send several batches`
  }
}

/** Events cannot be sent to this address; the message says why. */
export class WebhookUrlNotAllowed extends Schema.TaggedError<WebhookUrlNotAllowed>()("WebhookUrlNotAllowed", {
  code: code("webhook_url_not_allowed"),
  why: Schema.String
}) {
  override get message(): string {
    return `url ${this.why}`
  }
}

/** The request has no valid credentials: no key, an unusable key, or a user that the host does not know. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  code: code("unauthenticated"),
  why: Schema.Literals(["missing", "invalid", "conflicting", "host", "session"])
}) {
  override get message(): string {
    switch (this.why) {
      case "missing":
        return "The request has no API key; send one"
      case "invalid":
        return "The API key is not valid: it is mistyped, unknown, expired or revoked"
      case "conflicting":
        return "The request has more than one API key; send one"
      case "host":
        return "The application that Outdial is part of does not recognise you; sign in there"
      case "session":
        return "There is no session, or it has ended. Open a link to the console: outdial console link"
      default:
        return this.why satisfies never
    }
  }
}

/** There is nothing of that id in the account. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  code: code("not_found"),
  what: Schema.String
}) {
  override get message(): string {
    return `There is no ${this.what}`
  }
}

/** The account has no webhook. */
export const noWebhook = new NotFound({ what: "webhook; set one with webhook.set" })

/** The account has no such agent. */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {
  code: code("agent_not_found"),
  agentId: AgentId
}) {
  override get message(): string {
    return `agentId ${this.agentId} is not one of your agents; agents.list returns them`
  }
}

/** The call leaves placeholders of the agent's script without a value. */
export class MissingVariables extends Schema.TaggedError<MissingVariables>()("MissingVariables", {
  code: code("missing_variables"),
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The agent needs values for ${this.missing.join(", ")}; add them to variables`
  }
}

/** The number can never be called, because of the number itself or the policy. */
export class NumberNotAllowed extends Schema.TaggedError<NumberNotAllowed>()("NumberNotAllowed", {
  code: code("number_not_allowed"),
  why: Schema.String
}) {
  override get message(): string {
    return `The number ${this.why}`
  }
}

/** The number is on the account's do-not-call list. */
export class NumberDoNotCall extends Schema.TaggedError<NumberDoNotCall>()("NumberDoNotCall", {
  code: code("number_do_not_call")
}) {
  override get message(): string {
    return "The number is on your do-not-call list and will not be called"
  }
}

/** The number has been called as often as is allowed for now. */
export class NumberLimitReached extends Schema.TaggedError<NumberLimitReached>()("NumberLimitReached", {
  code: code("number_limit_reached"),
  /** When the limit allows the next call. */
  retryAt: Schema.DateTimeUtc
}) {
  override get message(): string {
    return `This number has been called as often as your limits allow for now; try again at ${
      DateTime.formatIso(this.retryAt)
    }`
  }
}

/** A call to the number waits already. */
export class CallAlreadyQueued extends Schema.TaggedError<CallAlreadyQueued>()("CallAlreadyQueued", {
  code: code("call_already_queued"),
  callId: CallId
}) {
  override get message(): string {
    return `A call to this number is already waiting: ${this.callId}. Let it ring, or cancel it first`
  }
}

/** The key was used by another request; one of the two ids names what that request started. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  code: code("idempotency_key_reused"),
  callId: Schema.optionalKey(CallId),
  batchId: Schema.optionalKey(BatchId)
}) {
  override get message(): string {
    const made = this.callId ?? this.batchId ?? "something else"
    return `This idempotency key was used with another request, which made ${made}. Use a new key for a new request`
  }
}

/** The first request with the key is still being worked on. */
export class IdempotencyKeyInUse extends Schema.TaggedError<IdempotencyKeyInUse>()("IdempotencyKeyInUse", {
  code: code("idempotency_key_in_use")
}) {
  override get message(): string {
    return "A request with this idempotency key is still in progress; try again in a second"
  }
}

/** The call does not wait any more. */
export class CallNotCancelable extends Schema.TaggedError<CallNotCancelable>()("CallNotCancelable", {
  code: code("call_not_cancelable"),
  callId: CallId,
  callStatus: Schema.String
}) {
  override get message(): string {
    return `${this.callId} is ${this.callStatus}; only a call that is queued can be canceled`
  }
}

/** The call waits: there is no line to hang up. */
export class CallNotLive extends Schema.TaggedError<CallNotLive>()("CallNotLive", {
  code: code("call_not_live"),
  callId: CallId
}) {
  override get message(): string {
    return `${this.callId} is queued and has not been dialed; cancel it instead`
  }
}

/** A call to the callee is live, or its outcome is pending. */
export class CalleeBusy extends Schema.TaggedError<CalleeBusy>()("CalleeBusy", {
  code: code("callee_busy"),
  callId: CallId
}) {
  override get message(): string {
    return `${this.callId} to this number is live, or its outcome is pending, which takes at most ten minutes. Hang it up or wait for its end, and erase again`
  }
}

/** As many earlier secrets as may be still sign. */
export class RotationLimitReached extends Schema.TaggedError<RotationLimitReached>()("RotationLimitReached", {
  code: code("rotation_limit_reached"),
  retryAt: Schema.DateTimeUtc
}) {
  override get message(): string {
    return `The maximum number of previous secrets is still valid, the oldest until ${
      DateTime.formatIso(this.retryAt)
    }. Wait, or give gracePeriodSeconds 0, which ends them all at once`
  }
}

/** Something was to be sent to a webhook that is disabled. */
export class WebhookDisabled extends Schema.TaggedError<WebhookDisabled>()("WebhookDisabled", {
  code: code("webhook_disabled")
}) {
  override get message(): string {
    return "The webhook is disabled and its events are held; webhook.set with enabled true sends them"
  }
}

/** The event existed and is past its retention. */
export class EventExpired extends Schema.TaggedError<EventExpired>()("EventExpired", {
  code: code("event_expired"),
  what: Schema.String
}) {
  override get message(): string {
    return `The ${this.what} is past its retention; calls.get returns how the call ended`
  }
}

/** The key or the account has used up its requests for now. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  code: code("rate_limited"),
  limit: Schema.Int,
  /** Seconds until a request will be accepted. */
  retryAfter: Schema.Int
}) {
  override get message(): string {
    return `More than ${this.limit} requests in a minute; try again in ${this.retryAfter} seconds`
  }
}

/** The key, or the host's user, follows as many transcripts as it may. */
export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {
  code: code("too_many_streams"),
  limit: Schema.Int
}) {
  override get message(): string {
    return `You already follow ${this.limit} transcripts; close one of the streams first`
  }
}

/** Nothing was done, and the same request may succeed later. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  code: code("unavailable"),
  cause: Schema.Defect()
}) {
  override get message(): string {
    return "The service is unavailable, and nothing was done; try again in a few seconds"
  }
}

/** Why a call was not started. */
export class CallRefused extends Schema.TaggedError<CallRefused>()("CallRefused", {
  reason: Schema.Union([
    InvalidRequest,
    AgentNotFound,
    MissingVariables,
    NumberNotAllowed,
    NumberDoNotCall,
    NumberLimitReached,
    CallAlreadyQueued,
    IdempotencyKeyReused,
    IdempotencyKeyInUse
  ])
}) {
  override get message(): string {
    return this.reason.message
  }
}
export type RefusalReason = CallRefused["reason"]

/** Why a batch was not started at all. */
export class BatchRefused extends Schema.TaggedError<BatchRefused>()("BatchRefused", {
  reason: Schema.Union([InvalidRequest, BatchTooLarge, IdempotencyKeyReused, IdempotencyKeyInUse])
}) {
  override get message(): string {
    return this.reason.message
  }
}
