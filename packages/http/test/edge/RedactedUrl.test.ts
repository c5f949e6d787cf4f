import { assert, describe, it } from "@effect/vitest"
import * as RedactedUrl from "../../src/edge/RedactedUrl.ts"

/** Addresses with their redacted form; none if they stay unchanged. */
const addresses: ReadonlyArray<readonly [string, string?]> = [
  ["/"],
  ["/v1/calls/call_01K9ZJ5T0Q3M7R8S9V2W4X6Y8Z/recording"],
  ["/v1/agents/00000000-0000-4000-8000-000000001234"],
  ["/v1/calls?status=queued&status=dialing&limit=100&test=true"],
  ["/v1/calls?agent_id=00000000-0000-4000-8000-000000001234"],
  ["/v1/events?created_after=2026-11-21T22:00:00.000Z&created_before=2026-11-22T22%3A00%3A00%2B01%3A00"],
  ["/v1/do_not_call?limit=25"],
  ["/tenants/123456/v1/calls"],
  ["/carriers/twilio"],
  ["/carriers/twilio/status", "/carriers/twilio/status/REDACTED"],
  ["/api/carriers/twilio/relay/acct_1.call_1.t0.c2lnbmF0dXJl?x=1", "/api/carriers/twilio/relay/REDACTED"],
  ["/v1/do_not_call/+12125550142", "/v1/do_not_call/REDACTED"],
  ["/v1/do_not_call/%2B12125550142", "/v1/do_not_call/REDACTED"],
  ["/v1/do_not_call/nobody/in/particular", "/v1/do_not_call/REDACTED/REDACTED/REDACTED"],
  ["/api/V1/DO_NOT_CALL/212", "/api/V1/DO_NOT_CALL/REDACTED"],
  ["/v1/%64o_not_call/212", "/v1/%64o_not_call/REDACTED"],
  ["/v1/calls/1-212-555-0142", "/v1/calls/REDACTED"],
  ["/v1/calls/%EF%BC%8B%EF%BC%91%EF%BC%92%EF%BC%91%EF%BC%92%EF%BC%95%EF%BC%95%EF%BC%95", "/v1/calls/REDACTED"],
  ["/v1/calls/call_12125550142", "/v1/calls/REDACTED"],
  ["/v1/calls/%zz12125550142", "/v1/calls/REDACTED"],
  ["/v1/calls#12125550142", "/v1/REDACTED"],
  ["/v1/calls?phone_number=212&limit=7", "/v1/calls?phone_number=REDACTED&limit=7"],
  ["/v1/calls?Phone%5Fnumber=212", "/v1/calls?Phone%5Fnumber=REDACTED"],
  ["/v1/do_not_call?cursor=WzEsMSwi", "/v1/do_not_call?cursor=REDACTED"],
  ["/v1/calls?q=(212)%20555-0142&limit=7", "/v1/calls?q=REDACTED&limit=7"],
  ["/v1/calls?q=a=12125550142", "/v1/calls?q=REDACTED"],
  ["/v1/calls?+12125550142=x", "/v1/calls?REDACTED"],
  ["/v1/calls?a?b=12125550142", "/v1/calls?a?b=REDACTED"]
]

describe("RedactedUrl", () => {
  for (const [address, expected = address] of addresses) {
    it(`redacts ${address}`, () => assert.strictEqual(RedactedUrl.redacted(address), expected))
  }
})
