/**
 * What falls due when: ids with an instant each, of which the earliest is found without looking at the others. An id that is
 * put again or taken off leaves its old place behind, and that is skipped when its turn comes.
 */
import type { DateTime } from "effect"

export interface DueHeap<Id> {
  /** Everything that is in the heap. */
  readonly dueAt: Map<Id, DateTime.Utc>
  /** A binary heap: no place is later than the two behind it, at twice its index and one or two more. */
  readonly heap: Array<Entry<Id>>
}

interface Entry<Id> {
  readonly id: Id
  readonly at: DateTime.Utc
}

export const make = <Id>(): DueHeap<Id> => ({ dueAt: new Map(), heap: [] })

/** Puts the id where it is now due, in place of where it was. */
export const put = <Id>({ dueAt, heap }: DueHeap<Id>, id: Id, at: DateTime.Utc) => {
  if (dueAt.get(id) === at) return
  dueAt.set(id, at)
  const entry = { id, at }
  let index = heap.length
  while (index > 0) {
    const parent = (index - 1) >> 1
    const other = heap[parent]
    if (other === undefined || !isBefore(entry, other)) break
    heap[index] = other
    index = parent
  }
  heap[index] = entry
}

export const remove = <Id>({ dueAt }: DueHeap<Id>, id: Id) => void dueAt.delete(id)

/** When the first is due; `undefined` when there is nothing. */
export const first = <Id>({ dueAt, heap }: DueHeap<Id>): DateTime.Utc | undefined => {
  for (;;) {
    const [head] = heap
    if (head === undefined || dueAt.get(head.id) === head.at) return head?.at
    dropFirst(heap)
  }
}

const isBefore = <Id>(one: Entry<Id>, other: Entry<Id>) => one.at.epochMilliseconds < other.at.epochMilliseconds

const dropFirst = <Id>(heap: Array<Entry<Id>>) => {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]]
    const isRight = left !== undefined && right !== undefined && isBefore(right, left)
    const child = isRight ? right : left
    if (child === undefined || !isBefore(child, last)) break
    heap[index] = child
    index = 2 * index + (isRight ? 2 : 1)
  }
  heap[index] = last
}
