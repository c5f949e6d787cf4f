/**
 * Ids by due instant: finds the earliest without reading the others. An id that is put again or removed leaves its old
 * entry in the heap, which is skipped at the top.
 */
import type { DateTime } from "effect"

export interface DueHeap<Id> {
  /** Everything that is in the heap. */
  readonly dueAt: Map<Id, DateTime.Utc>
  /** A binary heap: no entry is later than its two children, at twice its index plus one and plus two. */
  readonly heap: Array<Entry<Id>>
}

interface Entry<Id> {
  readonly id: Id
  readonly at: DateTime.Utc
}

export const make = <Id>(): DueHeap<Id> => ({ dueAt: new Map(), heap: [] })

/** Sets when the id is due, in place of any earlier instant. */
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
