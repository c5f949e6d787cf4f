/** The blocks of code in the documentation, and what makes each true. */
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")

export interface Block {
  readonly file: string
  readonly language: string
  readonly code: string
  /** The example that it shows; `docs.test.ts` compares them, and examples are run by themselves. */
  readonly example: string | undefined
}

const files = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: root })]
  // Generated, and compared with what they are generated from.
  .filter((file) => !file.startsWith("docs/reference/"))

export const all: ReadonlyArray<Block> = files.flatMap((file) =>
  Array.from(
    readFileSync(join(root, file), "utf8").matchAll(/(?:<!-- example: (\S+) -->\n)?```(\w*)\n([\s\S]*?)```/g),
    ([, example, language = "", code = ""]) => ({ file, language, code, example })
  )
)

/** Blocks of these languages say what a reader is to run or write. */
const spoken = ["", "mermaid"]

/** What has to be tried: not what is an example, and not what is only shown. */
export const toTry = all.filter(({ example, language }) => example === undefined && !spoken.includes(language))

/** The one block of the file that has these words. */
export const find = (file: string, words: string): string => {
  const found = toTry.filter((block) => block.file === file && block.code.includes(words))
  const [block] = found
  if (block === undefined || found.length > 1) throw new Error(`${file} has ${found.length} blocks with ${words}`)
  return block.code
}
