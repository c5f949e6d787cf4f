/** The names of channels, bridges and endpoints at Asterisk. */
import { assert, describe, it } from "@effect/vitest"
import { Ids, PhoneNumber } from "@outdial/core"
import * as Channels from "../../src/asterisk/Channels.ts"
import * as Detection from "../../src/asterisk/Detection.ts"
import * as Nodes from "../../src/asterisk/Nodes.ts"

const callId = Ids.CallId.make("call_01J00000000000000000000001")
const number = PhoneNumber.PhoneNumber.make("+15551230001")

describe("Channels at Asterisk", () => {
  it("have ids that tell their call, and none that begins another", () => {
    const ids = [
      callId,
      ...(["amd", "bridge", "media", "transfer"] as const).map((kind) => Channels.idOf(kind, callId))
    ]
    assert.deepStrictEqual(
      ids.map((id) => Channels.subjectOf(id)),
      (["callee", "amd", "bridge", "media", "transfer"] as const).map((kind) => ({ callId, kind }))
    )
    for (const id of ids) assert.deepStrictEqual(ids.filter((other) => other.startsWith(id)), [id])
    for (const foreign of ["", "1795415724.12", "media-", "media-1", "other-call_1", "snoop-call_1"]) {
      assert.isUndefined(Channels.subjectOf(foreign), foreign)
    }
  })
})

describe("ASTERISK_ENDPOINT", () => {
  it("names the endpoint, and makes dial strings of digits alone", () => {
    const rows = [
      ["PJSIP/{number}@trunk", "trunk", "PJSIP/+15551230001@trunk"],
      ["PJSIP/{digits}@trunk-1", "trunk-1", "PJSIP/15551230001@trunk-1"],
      ["PJSIP/trunk/sip:{number}@10.0.0.1:5080", "trunk", "PJSIP/trunk/sip:+15551230001@10.0.0.1:5080"],
      ["SIP/{number}@trunk", "trunk", "SIP/+15551230001@trunk"]
    ] as const
    for (const [template, resource, dialString] of rows) {
      const trunk = Channels.trunkOf(template)
      assert.strictEqual(trunk?.resource, resource)
      assert.strictEqual(trunk?.dialString(number), dialString)
    }
    const hostile = "+1555@other,30,b(x)" as PhoneNumber.PhoneNumber
    assert.strictEqual(Channels.trunkOf("PJSIP/{number}@trunk")?.dialString(hostile), "PJSIP/+155530@trunk")
  })

  it("is refused when it names no number, no endpoint or several", () => {
    for (
      const template of [
        "",
        "trunk",
        "PJSIP/trunk",
        "PJSIP/{number}",
        "PJSIP/{number}@a&PJSIP/{number}@b",
        "PJSIP/{x}@t"
      ]
    ) {
      assert.isUndefined(Channels.trunkOf(template), template)
    }
  })
})

describe("A call whose node is gone", () => {
  it("goes to one of the nodes that live, the same for all of them", () => {
    const apps = ["outdialb", "outdiala", "outdialc"]
    const heirs = Array.from({ length: 26 }, (_, index) => {
      const id = `call_01J0000000000000000000000${String.fromCodePoint(65 + index)}`
      const heir = Nodes.heirOf(id, apps)
      assert.deepStrictEqual(Nodes.heirOf(id, apps.toReversed()), heir)
      return heir._tag === "Some" ? heir.value : ""
    })
    assert.sameMembers([...new Set(heirs)], apps)
  })
})

describe("Asterisk's verdict", () => {
  it("is none when it is not sure, or has heard no sound at all", () => {
    const rows = [
      ["HUMAN", "HUMAN-800-800", "human"],
      ["MACHINE", "MAXWORDS-3-2", "voicemail"],
      ["MACHINE", "LONGGREETING-1500-1500", "voicemail"],
      ["MACHINE", "INITIALSILENCE-2500-2500", undefined],
      ["NOTSURE", "TOOLONG-4900", undefined],
      ["HANGUP", "", undefined],
      [undefined, undefined, undefined]
    ] as const
    for (const [status, cause, expected] of rows) assert.strictEqual(Detection.verdictOf(status, cause), expected)
  })
})
