/**
 * The rules as a service, so that a host may bring its own. Decisions are synchronous: storage takes them inside its
 * transaction.
 */
import { Context, Layer } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import * as DialDecision from "../rules/DialDecision.ts"

export class CallingRules extends Context.Service<CallingRules, {
  readonly decide: (call: CallRecord, facts: DialDecision.DialFacts) => DialDecision.DialDecision
}>()("@outdial/core/engine/CallingRules") {
  static readonly layer = Layer.succeed(CallingRules, { decide: DialDecision.decide })
}
