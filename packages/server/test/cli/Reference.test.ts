import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { describe } from "vitest"
import { outdial } from "../../src/main.ts"

interface Node {
  readonly name: string
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Node> }>
}

/** The commands that do something, as one types them. */
const typed = ({ name, subcommands }: Node): ReadonlyArray<string> => {
  const children = subcommands.flatMap(({ commands }) => commands)
  return children.length === 0 ? [name] : children.flatMap(typed).map((rest) => `${name} ${rest}`)
}

describe("the reference of the command line", () => {
  it("names every command, and no other", () => {
    const page = readFileSync(new URL("../../../../docs/reference/cli.md", import.meta.url), "utf8")
    const named = Array.from(page.matchAll(/^\| `(outdial(?: [a-z][a-z-]*)+)/gmu), (match) => match[1] ?? "")
    assert.deepStrictEqual([...named].sort(), [...typed(outdial)].sort())
  })
})
