/** The lines of two texts side by side, by the shortest edit script of Myers: http://www.xmailserver.org/diff2.pdf */

/** Lines that stand on both sides are the same; one side alone was added or removed; two different ones are a change. */
export interface DiffRow {
  readonly left?: string
  readonly right?: string
}

/** Texts with more differing lines are shown as replaced as a whole: to compare them line by line would take long. */
const mostDifferences = 2_000

export const diffLines = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<DiffRow> => {
  const rows: Array<DiffRow> = []
  let removed: Array<string> = []
  let added: Array<string> = []
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [one, other] = [removed[index], added[index]]
      rows.push({ ...(one !== undefined && { left: one }), ...(other !== undefined && { right: other }) })
    }
    removed = []
    added = []
  }
  for (const { kind, line } of edits(left, right)) {
    if (kind === "removed") removed.push(line)
    else if (kind === "added") added.push(line)
    else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}

interface Edit {
  readonly kind: "same" | "removed" | "added"
  readonly line: string
}

const edits = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<Edit> => {
  const n = left.length
  const m = right.length
  const furthest = new Map<number, number>([[1, 0]])
  const trace: Array<ReadonlyMap<number, number>> = []
  for (let d = 0; d <= Math.min(n + m, mostDifferences); d++) {
    trace.push(new Map(furthest))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0))
      let x = down ? furthest.get(k + 1) ?? 0 : (furthest.get(k - 1) ?? 0) + 1
      while (x < n && x - k < m && left[x] === right[x - k]) x++
      furthest.set(k, x)
      if (x >= n && x - k >= m) return backtrack(trace, left, right)
    }
  }
  return [
    ...left.map((line): Edit => ({ kind: "removed", line })),
    ...right.map((line): Edit => ({ kind: "added", line }))
  ]
}

const backtrack = (
  trace: ReadonlyArray<ReadonlyMap<number, number>>,
  left: ReadonlyArray<string>,
  right: ReadonlyArray<string>
): ReadonlyArray<Edit> => {
  const result: Array<Edit> = []
  let x = left.length
  let y = right.length
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d] ?? new Map<number, number>()
    const k = x - y
    const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0))
    const before = down ? k + 1 : k - 1
    const startX = d === 0 ? 0 : furthest.get(before) ?? 0
    const startY = d === 0 ? 0 : startX - before
    while (x > startX && y > startY && left[x - 1] === right[y - 1]) {
      result.push({ kind: "same", line: left[x - 1] ?? "" })
      x--
      y--
    }
    if (d === 0) break
    if (down) result.push({ kind: "added", line: right[y - 1] ?? "" })
    else result.push({ kind: "removed", line: left[x - 1] ?? "" })
    x = startX
    y = startY
  }
  return result.reverse()
}
