/** The part of the command line's reference that lists every argument and flag, as the commands themselves declare them. */
import { Option } from "effect"
import type { HelpDoc } from "effect/cli"
import { outdial } from "../packages/server/src/main.ts"

interface Node {
  readonly name: string
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Node> }>
  /** What `--help` prints from. */
  readonly buildHelpDoc: (path: ReadonlyArray<string>) => HelpDoc.HelpDoc
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const rows = ({ args = [], flags }: HelpDoc.HelpDoc): ReadonlyArray<string> => [
  ...args.map(({ description, name, required, variadic }) =>
    `| \`${name}${variadic ? "…" : ""}\` | ${required ? "yes" : "no"} | ${
      cell(Option.getOrElse(description, () => ""))
    } |`
  ),
  ...flags.map(({ description, name, required, type }) =>
    `| \`--${name}${type === "boolean" ? "" : ` ${cell(type)}`}\` | ${required ? "yes" : "no"} | ${
      cell(Option.getOrElse(description, () => ""))
    } |`
  )
]

const section = (node: Node, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const here = [...path, node.name]
  const below = node.subcommands.flatMap(({ commands }) => commands)
  if (below.length > 0) return below.flatMap((command) => section(command, here))
  const doc = node.buildHelpDoc(here)
  const table = rows(doc)
  return [
    `### ${here.join(" ")}`,
    `\`${doc.usage}\``,
    `${doc.description}.`,
    ...table.length === 0 ? [] : ["| argument or flag | required | |\n| --- | --- | --- |\n" + table.join("\n")]
  ]
}

export const cliReference = (): string => section(outdial as unknown as Node, []).join("\n\n")
