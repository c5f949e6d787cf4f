import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe } from "vitest"
import * as DevProcess from "./support/DevProcess.ts"

/** Runs a command to its end. */
const outdial = Effect.fnUntraced(function*(env: Record<string, string>, ...args: ReadonlyArray<string>) {
  const { child, output } = yield* DevProcess.spawnOutdial(args, { PORT: "4010", ...env })
  const code = yield* Effect.callback<number | null>((resume) => {
    child.once("exit", (status) => resume(Effect.succeed(status)))
  })
  return { code, ...output() }
})

/** Hardly anybody else's: `serve` takes no port 0. */
const freePort = String(20_000 + process.pid % 40_000)

describe("the command line", () => {
  it.live("manages accounts, agents and keys of a folder", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folder
      const run = (...args: ReadonlyArray<string>) => outdial({ OUTDIAL_DATA: data }, ...args)
      const json = (...args: ReadonlyArray<string>) =>
        Effect.map(run(...args, "--json"), ({ stdout }) => JSON.parse(stdout))

      const none = yield* run("agents", "list")
      assert.strictEqual(none.code, 1)
      assert.match(none.stderr, /outdial accounts create/)

      const account = yield* json("accounts", "create", "Clinic", "--lines", "3")
      assert.deepInclude(account, { name: "Clinic", lines: 3, paused: false })
      assert.deepInclude(yield* json("accounts", "set", "--paused", "true"), { lines: 3, paused: true })

      const file = join(data, "agent.json")
      yield* Effect.promise(() =>
        writeFile(
          file,
          JSON.stringify({
            name: "Bea",
            script: "Hi {{when}}",
            questions: [],
            dispositions: ["ok"],
            voicemail_message: "x"
          })
        )
      )
      const agent = yield* json("agents", "put", file)
      assert.deepInclude(agent, { name: "Bea", version: 1 })
      yield* Effect.promise(() => writeFile(file, JSON.stringify({ name: "Bea" })))
      const wrong = yield* run("agents", "put", file)
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.stderr, /script/)

      const key = yield* json("keys", "create", "--scope", "calls:read", "--expires", "2099-01-01T00:00:00Z")
      assert.match(key.api_key, /^vak_call_/)
      assert.deepInclude(key, { scopes: ["calls:read"], expires_at: "2099-01-01T00:00:00.000Z" })
      yield* run("keys", "revoke", key.id)
      const [listed] = yield* json("keys", "list")
      assert.notProperty(listed, "api_key")
      assert.property(listed, "revoked_at")
    }), 60_000)

  it.live(
    "re-encrypts webhook secrets under a new key, and serves none under a key it does not know",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folder
        const dev = yield* DevProcess.start(data)
        yield* DevProcess.end(dev, "SIGTERM")
        const kept: { readonly secretKey: string } = JSON.parse(
          yield* Effect.promise(() => readFile(join(data, "dev.json"), "utf8"))
        )
        const key = Buffer.alloc(32, 7).toString("base64")
        const reencrypt = (env: Record<string, string>) =>
          outdial({ OUTDIAL_DATA: data, ...env }, "secrets", "reencrypt", "--json")

        const unknown = yield* outdial({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: key, PORT: freePort }, "serve")
        assert.match(unknown.stderr, /sealed under another key.*OUTDIAL_SECRET_KEY_PREVIOUS.*outdial secrets reencrypt/)
        const without = yield* reencrypt({ OUTDIAL_SECRET_KEY: key })
        assert.match(without.stderr, /add that key to OUTDIAL_SECRET_KEY_PREVIOUS/)
        const noKey = yield* reencrypt({})
        assert.match(noKey.stderr, /OUTDIAL_SECRET_KEY is not set/)
        const badKey = yield* reencrypt({ OUTDIAL_SECRET_KEY: key, OUTDIAL_SECRET_KEY_PREVIOUS: "x" })
        assert.match(badKey.stderr, /OUTDIAL_SECRET_KEY_PREVIOUS must be keys/)
        assert.deepStrictEqual([unknown.code, without.code, noKey.code, badKey.code], [1, 1, 1, 1])

        const both = { OUTDIAL_SECRET_KEY: key, OUTDIAL_SECRET_KEY_PREVIOUS: kept.secretKey }
        assert.deepStrictEqual(JSON.parse((yield* reencrypt(both)).stdout), { reencrypted: 1 })
        assert.deepStrictEqual(JSON.parse((yield* reencrypt(both)).stdout), { reencrypted: 0 })

        // The development server no longer has the key, and issues another secret.
        const again = yield* DevProcess.start(data)
        assert.notStrictEqual(again.ready.webhook_secret, dev.ready.webhook_secret)
      }),
    120_000
  )

  it.live("says what is missing before it serves", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folder
      const nowhere = yield* outdial({ OUTDIAL_SECRET_KEY: Buffer.alloc(32).toString("base64") }, "serve")
      assert.match(nowhere.stderr, /Set DATABASE_URL.*or OUTDIAL_DATA/)
      const noKey = yield* outdial({ OUTDIAL_DATA: data }, "serve")
      assert.match(noKey.stderr, /OUTDIAL_SECRET_KEY is not set; make one with/)
      const badKey = yield* outdial({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: "x" }, "serve")
      assert.match(badKey.stderr, /OUTDIAL_SECRET_KEY must be 32 bytes in base64/)
      assert.deepStrictEqual([nowhere.code, noKey.code, badKey.code], [1, 1, 1])
    }), 60_000)
})
