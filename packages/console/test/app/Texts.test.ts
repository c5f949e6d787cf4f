import { assert, it } from "@effect/vitest"

/** All texts by their paths; of functions what they return for examples. */
const textsOf = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof value === "string") return [[path, value]]
  if (typeof value === "function") return [[path, String(value(...Array.from({ length: value.length }, () => 2)))]]
  return Object.entries(value ?? {}).flatMap(([name, part]) => textsOf(part, `${path}.${name}`))
}

/** The languages are read without their types, which are those of a browser's program. */
const load = async (language: string) => {
  const module: Readonly<Record<string, unknown>> = await import(`../../app/src/texts/${language}.ts`)
  // The sentences of the server are there in other languages than its own; `ServerText.test.ts` looks at them.
  return new Map(textsOf(module[language]).filter(([path]) => !path.startsWith(".server.sentences")))
}

const international = /^((Agent|Details|Link|Live|Name|Probe|Status|Test|Version|Webhook)( 2)?|Unicode .*|2\.csv)$/

it("every text is there in each language, and only names and international words are the same", async () => {
  const [english, german] = await Promise.all([load("en"), load("de")])
  assert.sameMembers([...german.keys()], [...english.keys()])
  const same = [...english].filter(([path, text]) => /[a-z]{3}/i.test(text) && german.get(path) === text)
  assert.deepStrictEqual(same.map(([, text]) => text).filter((text) => !international.test(text)), [])
})
