/** The files of `outdial asterisk config`. */
import { assert, describe, it } from "@effect/vitest"
import * as AsteriskFiles from "../../src/asterisk/AsteriskFiles.ts"

const options = {
  trunk: { name: "trunk", host: "sip.example.com" },
  user: "outdial",
  password: "secret",
  http: { address: "127.0.0.1", port: 8088 }
}

describe("The files of an Asterisk", () => {
  it("are all that a trunk needs", () => {
    const files = AsteriskFiles.make(options)
    assert.sameMembers(Object.keys(files), [
      "amd.conf",
      "ari.conf",
      "cdr.conf",
      "chan_websocket.conf",
      "extensions.conf",
      "http.conf",
      "modules.conf",
      "pjsip.conf",
      "rtp.conf",
      "websocket_client.conf"
    ])
    assert.include(files["http.conf"], "sessionlimit = 1200")
    assert.notInclude(files["pjsip.conf"], "type = auth")
    assert.notInclude(files["pjsip.conf"], "type = registration")
    for (const context of Object.values(AsteriskFiles.contexts)) {
      assert.include(files["extensions.conf"], `\n[${context}]\n`)
    }
  })

  it("have the credentials, the encryption and the addresses of the trunk", () => {
    const pjsip = AsteriskFiles.make({
      ...options,
      trunk: {
        ...options.trunk,
        host: "sip.example.com:5061",
        username: "u1",
        password: "p;1",
        registers: true,
        transport: "tls",
        encrypts: true,
        externalAddress: "203.0.113.5",
        localNetworks: ["10.0.0.0/8", "192.168.0.0/16"]
      }
    })["pjsip.conf"] ?? ""
    for (
      const line of [
        "protocol = tls",
        "external_media_address = 203.0.113.5",
        "local_net = 10.0.0.0/8",
        "local_net = 192.168.0.0/16",
        "username = u1",
        // Asterisk's own escape.
        "password = p\\;1",
        "server_uri = sip:sip.example.com:5061\\;transport=tls",
        "client_uri = sip:u1@sip.example.com:5061\\;transport=tls",
        "contact = sip:sip.example.com:5061\\;transport=tls",
        "outbound_auth = trunk",
        "media_encryption = sdes",
        "from_domain = sip.example.com",
        "match = sip.example.com"
      ]
    ) assert.include(pjsip.split("\n"), line)
  })

  it("have an entry for each address that Asterisk connects to for sound", () => {
    const media = [{ name: "outdial-a", url: "ws://10.0.0.5:4010/carriers/asterisk/media" }]
    const text = AsteriskFiles.make({ ...options, media })["websocket_client.conf"] ?? ""
    assert.include(text, "[outdial-a]\ntype = websocket_client\nconnection_type = per_call_config\nuri = ws://10.0.0.5")
  })

  it("take no setting that would be another line", () => {
    assert.throws(() => AsteriskFiles.make({ ...options, password: "a\nread_only = no" }), /one line/)
    assert.throws(() => AsteriskFiles.make({ ...options, user: "a]\n[b" }), /one line/)
  })
})
