/**
 * Whether commands that ran at once did what they do in some order, one after another, in memory. All that is known of a
 * history is what it answered and what can be seen after it, so every order that fits is kept.
 */
import { Effect } from "effect"
import * as Difference from "./Difference.ts"
import type { Knowledge, Step } from "./Knowledge.ts"
import * as Reads from "./Reads.ts"
import * as Storages from "./Storages.ts"

export type History = ReadonlyArray<Step>

/** Orders that are kept: there is nearly always just one, and each is replayed with every group. */
const most = 8

/** What is compared of the answers. */
const essential = (answer: unknown): unknown =>
  // A call is planned on what held when it was asked for; what changes while it is written is for the claim to see.
  typeof answer === "object" && answer !== null && "facts" in answer ? { ...answer, facts: undefined } : answer

const permutations = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2 ?
    [items] :
    items.flatMap((item, index) =>
      permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest])
    )

/** A step that was made, with what it answered. */
export interface Made {
  readonly step: Step
  readonly answer: unknown
}

/** The same, having passed over what others held, if that is what it answered. */
const withIdle = (group: ReadonlyArray<Made>): ReadonlyArray<ReadonlyArray<Made>> =>
  group.reduce<ReadonlyArray<ReadonlyArray<Made>>>(
    (all, made) => {
      const mayBeIdle = made.step.idle !== undefined && Difference.between(made.step.idle, made.answer) === undefined
      const done = all.map((some) => [...some, made])
      return mayBeIdle ? [...done, ...all] : done
    },
    [[]]
  )

/** How this order of the group, behind a history, differs from what was answered and seen. */
const difference = Effect.fnUntraced(function*(
  knowledge: Knowledge,
  history: History,
  order: ReadonlyArray<Made>,
  seen: unknown
) {
  const memory = yield* Storages.memory
  yield* Storages.open(memory, knowledge)
  for (const { run } of history) yield* run(memory)
  for (const { answer, step } of order) {
    const inMemory = yield* step.run(memory)
    const difference = Difference.between(essential(inMemory.answer), essential(answer))
    if (difference !== undefined) return difference
  }
  return Difference.between(yield* Reads.readAll(memory, knowledge), seen)
})

/** The histories that the group may have made of these; when it fits in no order, how one of the orders differs. */
export const continued = Effect.fnUntraced(function*(
  knowledge: Knowledge,
  histories: ReadonlyArray<History>,
  group: ReadonlyArray<Made>,
  seen: unknown
) {
  const fitting: Array<History> = []
  let found: string | undefined
  for (const history of histories) {
    for (const order of withIdle(group).flatMap(permutations)) {
      found = yield* difference(knowledge, history, order, seen)
      if (found === undefined) fitting.push([...history, ...order.map(({ step }) => step)])
      if (fitting.length === most) return { fitting }
    }
  }
  return fitting.length > 0 ? { fitting } : { fitting, difference: found }
})
