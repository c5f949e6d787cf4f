import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { AuditLog, ConsoleAccess } from "@outdial/core"
import { Context, Effect, FileSystem, Option, Redacted } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../CommandLine.ts"

const timeout = 60_000

describe("access to the console", () => {
  it.live("prints links, lists the sessions that they become, and revokes them", () =>
    Effect.gen(function*() {
      const { json, run, services } = yield* CommandLine.open
      const access = Context.get(services, ConsoleAccess.ConsoleAccess)
      const open = (url: string) => access.openLink(Redacted.make(url.split("#")[1] ?? ""))
      const account = yield* json("accounts", "create", "Clinic")
      assert.strictEqual((yield* run("console", "sessions")).stdout.trim(), "There are no sessions")

      const link = yield* run("console", "link")
      assert.match(
        link.stdout,
        /^http:\/\/localhost:4010\/console\/link#[0-9A-Za-z]{43}\nIt works once, until 20\d\d-\d\d-\d\dT[\d:.]+Z\.\n$/
      )
      assert.isTrue(Option.isSome(yield* open(link.stdout.split("\n")[0] ?? "")))
      const named = ["--role", "viewer", "--name", "Ada Lovelace", "--account", account.id]
      const second = yield* json("console", "link", ...named)
      assert.deepInclude(second, { role: "viewer", name: "Ada Lovelace" })
      const { session } = Option.getOrThrow(yield* open(second.url))

      const listed = yield* json("console", "sessions")
      assert.deepStrictEqual(
        listed.map(({ account_id, name, role }: Record<string, unknown>) => [role, name, account_id]).toSorted(),
        [["operator", "operator", null], ["viewer", "Ada Lovelace", account.id]]
      )
      assert.match((yield* run("console", "revoke", session.id)).stdout, /is revoked/)
      assert.match((yield* run("console", "revoke", session.id)).stderr, /There is no session session_/)
      assert.strictEqual((yield* json("console", "sessions")).length, 1)

      for (const wrong of [["--account", "acct_0"], ["--role", "owner"], ["--name", ""], ["--name", "a\nb"]]) {
        assert.strictEqual((yield* run("console", "link", ...wrong)).code, 1, wrong.join(" "))
      }

      const log = Context.get(services, AuditLog.AuditLog)
      const { items } = yield* log.list({}, { limit: 20, after: Option.none() })
      assert.deepStrictEqual(
        items.toReversed().map(({ accountId, action, actor, details, status, target }) => [
          actor,
          action,
          status,
          target ?? accountId,
          { ...details, ...(details["link"] !== undefined && { link: "some" }) }
        ]),
        [
          ["command line", "console.link", 200, undefined, { role: "operator", name: "operator", link: "some" }],
          ["operator", "session.open", 200, items.at(-2)?.target, { link: "some" }],
          ["command line", "console.link", 200, account.id, { role: "viewer", name: "Ada Lovelace", link: "some" }],
          ["Ada Lovelace", "session.open", 200, session.id, { link: "some" }],
          ["command line", "session.revoke", 200, session.id, {}],
          ["command line", "session.revoke", 404, session.id, {}]
        ]
      )
    }), timeout)

  it.live("says what to do where a running server has the data folder", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const data = yield* files.makeTempDirectoryScoped({ prefix: "outdial-console-" })
      yield* files.makeDirectory(`${data}/postgres/base`, { recursive: true })
      // The lock of another machine counts, because its process cannot be looked up.
      yield* files.writeFileString(
        `${data}/outdial.lock`,
        JSON.stringify({ host: "calls-1", pid: 42, boot: "", started: "" })
      )
      const { run } = yield* CommandLine.inEnvironment({ OUTDIAL_DATA: data })
      for (const command of [["link", "--role", "viewer"], ["sessions"], ["revoke", "session_1"]]) {
        const { code, stderr, stdout } = yield* run("console", ...command)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.include(stderr, `The data folder ${data} is open in process 42 on calls-1.`)
        assert.include(stderr, "on the page Sessions")
        assert.include(stderr, "restart the server")
      }
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped), timeout)
})
