/** Events as Asterisk 22 has sent them. */
import { assert, describe, it } from "@effect/vitest"
import * as AriEvents from "../../src/asterisk/AriEvents.ts"

const timestamp = "2026-11-26T05:02:17.498+0000"

const channel = (state: string) => ({
  id: "call_01J00000000000000000000001",
  name: "PJSIP/trunk-00000000",
  state,
  protocol_id: "4d680681-02cc-46fc-80cc-76b691487f83",
  caller: { name: "", number: "" },
  connected: { name: "", number: "" },
  accountcode: "",
  dialplan: { context: "from-trunk", exten: "s", priority: 1, app_name: "Stasis", app_data: "outdialaaa" },
  creationtime: "2026-11-26T05:02:17.497+0000",
  language: "en",
  channelvars: { OUTDIAL_ACCOUNT: "acct_1" }
})

const event = (fields: Readonly<Record<string, unknown>>) =>
  AriEvents.decode(
    JSON.stringify({ timestamp, asterisk_id: "02:fc:00:00:00:01", application: "outdialaaa", ...fields })
  )

const seen = (state: string) => ({
  id: "call_01J00000000000000000000001",
  state,
  channelvars: { OUTDIAL_ACCOUNT: "acct_1" }
})

describe("An event of Asterisk", () => {
  it("is read if it is about the life of a channel", () => {
    const rows = [
      [
        { type: "StasisStart", args: ["answered"], channel: channel("Up") },
        { type: "StasisStart", timestamp, args: ["answered"], channel: seen("Up") }
      ],
      [{ type: "StasisEnd", channel: channel("Up") }, { type: "StasisEnd", timestamp, channel: seen("Up") }],
      [
        { type: "ChannelStateChange", channel: channel("Ringing") },
        { type: "ChannelStateChange", timestamp, channel: seen("Ringing") }
      ],
      [
        { type: "Dial", dialstatus: "", forward: "", dialstring: "+1555@trunk", peer: channel("Down") },
        { type: "Dial", timestamp, peer: seen("Down") }
      ],
      [
        { type: "ChannelDestroyed", cause: 17, cause_txt: "User busy", tech_cause: 486, channel: channel("Down") },
        { type: "ChannelDestroyed", timestamp, cause: 17, channel: seen("Down") }
      ],
      [
        { type: "ChannelUserevent", eventname: "heartbeat", userevent: {} },
        { type: "ChannelUserevent" }
      ]
    ] as const
    for (const [sent, expected] of rows) assert.deepStrictEqual(event(sent) as unknown, expected)
  })

  it("is left out otherwise", () => {
    for (
      const fields of [
        { type: "ChannelVarset", variable: "x", value: "y", channel: channel("Up") },
        { type: "ChannelDestroyed", channel: channel("Up") },
        { type: "StasisStart", channel: channel("Up") },
        {}
      ]
    ) assert.isUndefined(event(fields))
    assert.isUndefined(AriEvents.decode("{"))
  })
})
