/** The one error class for hosts without Effect: a code of the list of errors, and its data. */
import { type Brand, Cause, DateTime } from "effect"
import * as Errors from "../domain/Errors.ts"
import { HostTransactionError } from "../storage/HostTransactions.ts"
import type { SecretBoxError, SecretKeyInvalid } from "../secret/SecretBox.ts"
import * as OptionNames from "../domain/OptionNames.ts"

/** All errors that have a code. */
type Known = {
  readonly [Name in keyof typeof Errors]: (typeof Errors)[Name] extends new(...args: never) => infer One ?
    Extract<One, { readonly code: string }> :
    never
}[keyof typeof Errors]

/** The codes of the engine and of our own parts. Parts of yours may add others. */
export type OutdialErrorCode =
  | Known["code"]
  | "aborted"
  | "database_unavailable"
  | "engine_closed"
  | "internal_error"
  | "persona_failed"
  | "secret_key_missing"
  | "telephony_missing"
  | HostTransactionError["code"]
  | SecretBoxError["code"]
  | SecretKeyInvalid["code"]

type Plain<A> = A extends DateTime.DateTime ? Date : A extends Brand.Brand<string> ? string : A

/** The data that an error of this code has. */
export type OutdialErrorDetails<Code extends OutdialErrorCode> = {
  readonly [
    K in Exclude<keyof Extract<Known, { readonly code: Code }>, keyof Cause.YieldableError | "_tag" | "code">
  ]: Plain<Extract<Known, { readonly code: Code }>[K]>
}

/** The error of every rejected promise. Decide by `code`, which is stable; `message` says what to do and may change. */
export class OutdialError extends Error {
  override readonly name = "OutdialError"
  readonly code: string
  /** The error's own data, such as `callId` or `problems`; instants are `Date`s. */
  readonly details: Readonly<Record<string, unknown>>

  /** Whether an error is an `OutdialError`, and of this `code` when one is given. TypeScript then knows its `details`. */
  static readonly is = <Code extends OutdialErrorCode>(
    error: unknown,
    code?: Code
  ): error is Omit<OutdialError, "code" | "details"> & {
    readonly code: Code
    readonly details: OutdialErrorDetails<Code>
  } => error instanceof OutdialError && (code === undefined || error.code === code)

  constructor(
    code: OutdialErrorCode | (string & {}),
    message: string,
    details: Readonly<Record<string, unknown>>,
    cause: unknown
  ) {
    super(message, { cause })
    this.code = code
    this.details = details
  }
}

/** Errors that have only a message. */
const wrappers = ["BatchRefused", "CallRefused"]

/** The failure of an engine effect, for hosts. Defects become `internal_error`. */
export const fromCause = (cause: Cause.Cause<unknown>): OutdialError => {
  const error = Cause.squash(cause)
  const reason = isObject(error) && wrappers.includes(String(error["_tag"])) ? error["reason"] : error
  if (isObject(reason) && typeof reason["code"] === "string" && reason instanceof Error) {
    const hidden = ["_tag", "cause", "code", "message", "name", "stack"]
    const details = Object.fromEntries(
      Object.entries(reason).filter(([key]) => !hidden.includes(key)).map(([key, value]) => [
        key,
        DateTime.isDateTime(value) ? DateTime.toDateUtc(value) : value
      ])
    )
    // The error of the host's own client is returned unchanged.
    const origin = reason instanceof HostTransactionError ? reason.cause : reason
    return new OutdialError(reason["code"], reason.message, details, origin)
  }
  return new OutdialError("internal_error", "The engine failed; see the cause", {}, error)
}

/** Throws an `OutdialError` for an unknown option, with the name that was probably meant. */
export const refuseUnknown = <Options extends object>(options: Options, names: OptionNames.Names<Options>): void => {
  const problem = OptionNames.problemOf(options, names)
  if (problem !== undefined) throw fromCause(Cause.fail(problem))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null
