import { assert, it } from "@effect/vitest"
import { type Call, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { describe } from "vitest"
import * as Campaign from "../support/Campaign.ts"
import * as Verdict from "../support/CampaignVerdict.ts"

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
      atLeast(ends, { completed: 4000, busy: 500, no_answer: 1000, failed: 100, expired: 50, canceled: 20 })
      atLeast(Object.fromEntries(campaign.refused), {
        call_already_queued: 200,
        number_do_not_call: 50,
        number_limit_reached: 100
      })
      atLeast({ looks: campaign.looks, onTheDot, rings: campaign.rings.length }, {
        looks: 6000,
        onTheDot: 1000,
        rings: 6000
      })
    }).pipe(Effect.provide(TestEngine.layer(campaign.options)))
  }, 120_000)
})
