import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { AuditLog, ConsoleAccess } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Console, Effect, FileSystem, Layer, Option, Path, Redacted } from "effect"
import * as ConsoleLink from "../../src/serve/ConsoleLink.ts"

const publicUrl = "https://calls.example.com"

/** What the start of a server prints, with the folder of its data. */
const announced = Effect.fnUntraced(function*({ isTerminal }: { readonly isTerminal: boolean }) {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped({ prefix: "outdial-link-" })
  const path = (yield* Path.Path).join(folder, "console-link")
  // Of an earlier start, that others can read.
  yield* files.writeFileString(path, "old", { mode: 0o644 })
  let printed = ""
  yield* ConsoleLink.announce(publicUrl, { folder, isTerminal }).pipe(
    Effect.provideService(Console.Console, { ...console, log: (text: string) => void (printed += text) })
  )
  return { files, path, printed }
})

const opens = Effect.fnUntraced(function*(text: string) {
  const access = yield* ConsoleAccess.ConsoleAccess
  const [, token = ""] = /https:\/\/calls\.example\.com\/console\/link#([0-9A-Za-z]{43})/.exec(text) ?? []
  return Option.isSome(yield* access.openLink(Redacted.make(token)))
})

const services = Layer.merge(TestEngine.layer(), NodeServices.layer)

describe("the link of a server on a data folder", () => {
  it.effect("is not printed where it would be in a log, but in a file for its owner", () =>
    Effect.gen(function*() {
      const { files, path, printed } = yield* announced({ isTerminal: false })
      assert.include(printed, path)
      assert.isFalse(yield* opens(printed))
      assert.strictEqual((yield* files.stat(path)).mode & 0o777, 0o600)
      assert.isTrue(yield* opens(yield* files.readFileString(path)))
      const log = yield* AuditLog.AuditLog
      const { items } = yield* log.list({}, { limit: 10, after: Option.none() })
      assert.deepStrictEqual(
        items.toReversed().map(({ action, actor, status }) => [actor, action, status]),
        [["outdial serve", "console.link", 200], ["operator", "session.open", 200]]
      )
    }).pipe(Effect.provide(services), Effect.scoped))

  it.effect("is printed on a terminal, and in no file", () =>
    Effect.gen(function*() {
      const { files, path, printed } = yield* announced({ isTerminal: true })
      assert.isTrue(yield* opens(printed))
      assert.isFalse(yield* files.exists(path))
    }).pipe(Effect.provide(services), Effect.scoped))
})
