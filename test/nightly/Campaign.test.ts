import { assert, it } from "@effect/vitest"
import { type Call, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { describe } from "vitest"
import * as Campaign from "../../packages/core/test/support/Campaign.ts"
import * as Verdict from "../../packages/core/test/support/CampaignVerdict.ts"

/** The calls as they are kept, and all events: none but terminal ones, as there is no endpoint. */
const lookBack = Effect.fnUntraced(function*(campaign: Campaign.Campaign) {
  const { accountId } = yield* TestEngine.Tenant
  const storage = yield* Storage.Storage
  const records = new Map<string, Call.CallRecord>()
  for (const { callId } of campaign.accepted.values()) {
    records.set(callId, Option.getOrThrow(yield* storage.calls.get(accountId, callId)))
  }
  const page = { limit: 100_000, after: Option.none() }
  const { items } = yield* storage.events.list({ accountId, filter: {}, page })
  return Verdict.make(campaign, records, items)
})

/** More than a few of each, so that the campaign has been through what it is about. */
const atLeast = (counts: Readonly<Record<string, number>>, least: Readonly<Record<string, number>>) => {
  for (const [name, number] of Object.entries(least)) assert.isAtLeast(counts[name] ?? 0, number, name)
}

describe("a campaign of two weeks", () => {
  it.effect("dials every call as soon as it may, none when it may not, and always shows when", () => {
    const campaign = Campaign.make()
    return Effect.gen(function*() {
      yield* campaign.run
      const { ends, onTheDot, wrong } = yield* lookBack(campaign)
      assert.deepStrictEqual([...campaign.wrong, ...wrong].slice(0, 20), [])
      atLeast(ends, { completed: 1600, busy: 200, no_answer: 400, failed: 40, expired: 4, canceled: 8 })
      atLeast(Object.fromEntries(campaign.refused), {
        call_already_queued: 80,
        number_do_not_call: 20,
        number_limit_reached: 40
      })
      atLeast({ looks: campaign.looks, onTheDot, rings: campaign.rings.length }, {
        looks: 2400,
        onTheDot: 400,
        rings: 2400
      })
    }).pipe(Effect.provide(TestEngine.layer(campaign.options)))
  }, 120_000)
})
