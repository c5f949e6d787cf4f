import { assert, describe, it } from "@effect/vitest"
import { Accounts, Agents, Calls, type Ids, Recordings } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { layer, login, outcome, send } from "../Fixture.ts"

/** The path and query of the link to the recording of a call in the account. */
const recorded = Effect.fnUntraced(function*(accountId: Ids.AccountId) {
  const admin = yield* login()
  const calls = yield* Calls.Calls
  const recordings = yield* Recordings.Recordings
  const agents = yield* Agents.Agents
  const { id: agentId } = yield* agents.put(accountId, Factories.agentDefinition())
  const { id } = yield* calls.start(accountId, { agentId, phoneNumber: "+14155550100", variables: { topic: "x" } })
  yield* TestEngine.advance("5 minutes")
  yield* Effect.orDie(recordings.put({ accountId, callId: id }, {
    mediaType: "audio/wav",
    bytes: new TextEncoder().encode(accountId)
  }))
  const { body } = yield* send(`accounts/${accountId}/v1/calls/${id}`, { cookie: admin })
  const { pathname, search } = new URL(body.recording_url)
  return pathname + search
})

describe("Recordings in the console", () => {
  it.effect("are heard by users of their account, by the link of the call", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      const { id: otherId } = yield* accounts.create({ name: "Other", policy: { callingHours: null } })
      const [own, foreign] = [yield* recorded(accountId), yield* recorded(otherId)]
      const user = yield* login({ accountId, role: "viewer", name: "Ada" })
      const all = yield* login({ name: "Grace" })

      const heard = yield* send(`accounts/${accountId}${own}`, { cookie: user })
      assert.deepStrictEqual([heard.status, heard.text], [200, accountId])
      assert.strictEqual((yield* send(`accounts/${otherId}${foreign}`, { cookie: all })).text, otherId)
      const refused = [
        // Of another account, below its own path and below the user's.
        yield* send(`accounts/${otherId}${foreign}`, { cookie: user }),
        yield* send(`accounts/${accountId}${foreign}`, { cookie: user }),
        // Whoever may see both still needs the right path.
        yield* send(`accounts/${accountId}${foreign}`, { cookie: all }),
        yield* send(`accounts/${accountId}${own}&account=${otherId}`, { cookie: user }),
        yield* send(`accounts/${accountId}${foreign.replace(otherId, accountId)}`, { cookie: user }),
        yield* send(`accounts/acct_0${own}`, { cookie: all })
      ]
      assert.deepStrictEqual([...new Set(refused.map(outcome))], ["404 not_found"])
      const [path = ""] = own.split("?")
      for (const query of ["", "?account=", `?account=${accountId}`]) {
        assert.strictEqual(
          outcome(yield* send(`accounts/${accountId}${path}${query}`, { cookie: user })),
          "404 not_found"
        )
      }
      assert.strictEqual(outcome(yield* send(`accounts/${accountId}${own}`)), "401 unauthenticated")
    }).pipe(Effect.provide(layer())))
})
