/** The first lines in which two values differ, for a failure that can be read. */
import { inspect } from "node:util"

const shown = (value: unknown) => inspect(value, { depth: 20, sorted: true, maxArrayLength: 1000 }).split("\n")

/** Nothing when the values print alike. */
export const between = (expected: unknown, actual: unknown): string | undefined => {
  const [wanted, found] = [shown(expected), shown(actual)]
  const first = wanted.findIndex((line, index) => line !== found[index])
  if (first === -1 && wanted.length === found.length) return undefined
  const from = first === -1 ? wanted.length : first
  const around = (lines: ReadonlyArray<string>) => lines.slice(Math.max(0, from - 3), from + 4).join("\n")
  return `expected\n${around(wanted)}\nbut got\n${around(found)}`
}
