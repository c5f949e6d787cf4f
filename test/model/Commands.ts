/** The commands of the model: what is done, in which account, and of which kind; how often each comes is its weight. */
import { Schema } from "effect"
import * as AccountSteps from "./AccountSteps.ts"
import * as CallSteps from "./CallSteps.ts"
import * as CarrierSteps from "./CarrierSteps.ts"
import * as ConversationSteps from "./ConversationSteps.ts"
import * as DeliverySteps from "./DeliverySteps.ts"
import * as DispatchSteps from "./DispatchSteps.ts"
import * as RetentionSteps from "./RetentionSteps.ts"
import { type Knowledge, type Step, step } from "./Knowledge.ts"
import * as Reads from "./Reads.ts"

/** In seconds: around every lease and deadline, and over hours, days and what is kept. */
const waits = [0.01, 1, 5, 16, 31, 61, 601, 3600, 86_400, 8 * 86_400]

const steps = {
  ...AccountSteps.steps,
  ...CallSteps.steps,
  ...DispatchSteps.steps,
  ...ConversationSteps.steps,
  ...CarrierSteps.steps,
  ...DeliverySteps.steps,
  ...RetentionSteps.steps,
  ...Reads.steps
}
type Act = keyof typeof steps | "wait"

/** What leads a call on comes often, so that runs get far; of those that are not here, three each. */
const weights: { readonly [A in Act]?: number } = {
  start: 30,
  start_with_key: 3,
  start_batch: 12,
  start_batch_with_key: 2,
  claim: 50,
  submit: 30,
  report: 12,
  report_ends: 14,
  return_unsubmitted: 6,
  return_unavailable: 6,
  acquire_conversation: 24,
  append_words: 16,
  seal_conversation: 12,
  end_conversation: 10,
  settle_ends: 6,
  claim_outcomes: 24,
  settle_outcome: 28,
  set_policy: 8,
  open_account: 14,
  pause_carrier: 1,
  resume_carrier: 10,
  put_agent: 2,
  set_webhook: 3,
  put_subscriber: 2,
  claim_deliveries: 12,
  settle_delivery: 12,
  claim_for_subscriber: 2,
  settle_for_subscriber: 2,
  complete_batches: 6,
  take_stale: 5,
  expire: 5,
  replan: 5,
  cancel: 5,
  cancel_batch: 3,
  wait: 30
}

// An own key of an object literal of these types is one of its names.
const names = [...Object.keys(steps) as ReadonlyArray<keyof typeof steps>, "wait"] satisfies ReadonlyArray<Act>

export const Command = Schema.Struct({
  act: Schema.Literals(names.flatMap((name) => Array.from({ length: weights[name] ?? 3 }, () => name))),
  n: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
  /** Few commands are for another account, which must see nothing of the first. */
  elsewhere: Schema.Literals([false, false, false, false, true])
})
export type Command = typeof Command.Type

/** The account that the command is for. */
export const accountOf = ({ accounts }: Knowledge, { elsewhere }: Command) => accounts[elsewhere ? 1 : 0]

/** The step at this time and with what is known now, whenever it is made. */
export const stepOf = (knowledge: Knowledge, command: Command): Step => {
  const { act, n } = command
  if (act !== "wait") return steps[act]({ ...knowledge }, accountOf(knowledge, command), n)
  knowledge.seconds += waits[n] ?? 31 * 86_400
  return step((storage) => storage.work.nextDueAt({}))
}
