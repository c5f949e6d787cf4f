/** The command line with the settings that docs/guides/asterisk.md shows, over a real Asterisk. */
import { assert, describe, it } from "@effect/vitest"
import { Samples, Wav } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Effect, Redacted, Schedule } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as ToneSpeech from "../../packages/carriers/test/audio/ToneSpeech.ts"
import * as CarrierGuide from "../support/CarrierGuide.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as DocumentBlocks from "../support/DocumentBlocks.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

const guide = "docs/guides/asterisk.md"

const settingsOf = (pbx: Pbx.Pbx) =>
  CarrierGuide.settings(guide, "OUTDIAL_CARRIER=asterisk", {
    ASTERISK_ARI_URL: pbx.ariUrl,
    ASTERISK_ARI_PASSWORD: Redacted.value(pbx.password),
    ASTERISK_TRUNK_PASSWORD: "trunk-secret"
  })

const tone = (hertz: number, millis: number) => Tones.tone({ hertz, millis, format: "mulaw" })
const silence = (millis: number) => new Uint8Array(millis * 8).fill(0xff)

/** Says its words after a while, again and again. */
const speech = Uint8Array.from([...silence(5_000), ...tone(440, 800), ...silence(2_000)])

// They mostly wait for phones that talk.
describe.concurrent("OUTDIAL_CARRIER=asterisk", () => {
  for (const direction of ["to Asterisk", "from Asterisk"] as const) {
    it.live(`holds a conversation in sound over a connection ${direction}`, () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave(() => ({ answersAfter: 200, says: speech }))
        const port = ServeProcess.freePort()
        const mediaUrl = `ws://127.0.0.1:${port}`
        const media = direction === "to Asterisk"
          ? undefined
          : [{ name: `outdial-127-0-0-1-${port}`, url: `${mediaUrl}/carriers/asterisk/media` }]
        const pbx = yield* Pbx.make({ phones: phones.port, qualifySeconds: 2, media })
        const server = yield* ServeProcess.start({
          ...settingsOf(pbx),
          PORT: String(port),
          ASTERISK_RECORDING: "own",
          OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${port}`,
          OUTDIAL_CONFIG: "test/asterisk/tones.config.ts",
          ...(media !== undefined && { ASTERISK_MEDIA_URL: mediaUrl })
        })
        const call = { agent_id: server.agentId, phone_number: "+14155550101", contact: { name: "Grace" } }
        const { body: { id } } = yield* Effect.promise(() => server.request("POST", "/v1/calls", call))
        const { body } = yield* DevProcess.eventually(
          Effect.promise(() => server.request("GET", `/v1/calls/${id}`)).pipe(
            Effect.filterOrFail(
              ({ body }) => body.status === "completed" && body.outcome !== null,
              ({ body }) => new DevProcess.NotYet({ seen: `${body.status} ${server.output().stderr}` })
            )
          )
        )
        const said: ReadonlyArray<{ readonly speaker: string; readonly text: string }> = body.outcome.transcript
        assert.deepStrictEqual(
          said.find(({ speaker }) => speaker === "contact")?.text,
          "Yes, gladly.",
          JSON.stringify(said)
        )
        const first = said.find(({ speaker }) => speaker === "agent")?.text ?? ""
        const [phoneCall, ...others] = phones.calls
        assert.lengthOf(others, 0)
        const heard = Samples.samplesOf("mulaw", Buffer.concat(phoneCall?.heard ?? []))
        assert.isDefined(Tones.heard(heard, 8_000, ToneSpeech.pitchOf(first)), `The phone has not heard "${first}"`)
        const recording = yield* DevProcess.eventually(
          Effect.promise(() => server.request("GET", `/v1/calls/${id}`)).pipe(
            Effect.flatMap(({ body }) =>
              typeof body.recording_url === "string" ? Effect.succeed(body.recording_url) : Effect.fail(body.status)
            )
          )
        )
        const wav = new Uint8Array(yield* Effect.promise(async () => (await fetch(recording)).arrayBuffer()))
        const samples = Samples.fromLittleEndian(wav.subarray(Wav.headerBytes))
        const [contact, agent] = [0, 1].map((channel) => samples.filter((_, at) => at % 2 === channel))
        assert.isDefined(Tones.heard(contact ?? samples, 16_000, 440), "the contact is on the left")
        assert.isDefined(Tones.heard(agent ?? samples, 16_000, ToneSpeech.pitchOf(first)), "the agent is on the right")
        assert.isUndefined(Tones.heard(agent ?? samples, 16_000, 440))
        yield* DevProcess.eventually(
          Effect.suspend(() => phoneCall?.state === "over" ? Effect.void : Effect.fail(server.output().stderr))
        )
      }), 240_000)
  }

  it.live(
    "is set up with the files that outdial asterisk config prints, and checked by outdial doctor",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        const channels = 250
        const pbx = yield* Pbx.make({ phones: phones.port, qualifySeconds: 1, channels })
        const databaseUrl = yield* Postgres.database
        const settings = settingsOf(pbx)
        const { run } = yield* CommandLine.inEnvironment({ ...settings, DATABASE_URL: databaseUrl })
        const shown =
          DocumentBlocks.find(guide, "OUTDIAL_CARRIER=asterisk").match(/outdial (asterisk config .*)/)?.[1] ?? ""
        const out = join(yield* DevProcess.folder, "etc")
        const args = shown.replace("/etc/asterisk", out).split(" ")
        const written = yield* run(...args)
        assert.strictEqual(written.code, 0, written.stderr)
        const pjsip = readFileSync(join(out, "pjsip.conf"), "utf8")
        for (
          const line of [
            "contact = sip:sip.example.com",
            "username = 1000",
            "password = trunk-secret",
            "type = registration"
          ]
        ) {
          assert.include(pjsip, line)
        }
        assert.notInclude(written.stdout, "trunk-secret")
        // Without an output folder the same is printed.
        const printed = yield* run(...args.slice(0, -2), "--json")
        assert.strictEqual(JSON.parse(printed.stdout)["pjsip.conf"], pjsip)
        // Exactly what the Asterisk of these tests has, but for the port of SIP.
        const { run: runOwn } = yield* CommandLine.inEnvironment({ ...settings, ASTERISK_CHANNELS: String(channels) })
        const [, from, to] = /rtpstart = (\d+)\nrtpend = (\d+)/.exec(pbx.files["rtp.conf"] ?? "") ?? []
        const own = yield* runOwn(
          "asterisk",
          "config",
          "--trunk",
          `127.0.0.1:${phones.port}`,
          "--qualify",
          "1",
          "--rtp",
          `${from}-${to}`,
          "--json"
        )
        const withoutPort = (files: Readonly<Record<string, string>>) => ({
          ...files,
          "pjsip.conf": files["pjsip.conf"]?.replace(/^bind = .*$/m, "bind =")
        })
        assert.deepStrictEqual(withoutPort(JSON.parse(own.stdout)), withoutPort(pbx.files))

        const inContainers = DocumentBlocks.find(guide, "docker compose").replaceAll("\\\n", " ")
        const flags = /outdial +asterisk config (.*) --out /.exec(inContainers)?.[1]?.split(/ +/) ?? []
        const contained = JSON.parse((yield* run("asterisk", "config", ...flags, "--json")).stdout)
        assert.match(contained["rtp.conf"], /rtpstart = 10000\nrtpend = 10199/)
        assert.match(contained["http.conf"], /bindaddr = 0\.0\.0\.0/)
        assert.match(contained["pjsip.conf"], /external_media_address = 203\.0\.113\.5/)
        assert.match((yield* run("asterisk", "config", "--trunk", "10.0.0.1", "--rtp", "200-100")).stderr, /two ports/)

        const doctor = yield* CarrierGuide.doctor
        const check = (env: Record<string, string> = {}) => doctor({ ...settings, ...env })
        // Asterisk asks the trunk once a second.
        const well = yield* Effect.repeat(check(), {
          until: (text) => text.includes("trunk answers"),
          schedule: Schedule.spaced("1 second"),
          times: 20
        })
        assert.match(well, /ok +Asterisk +Version/)
        assert.match(well, /ok +trunk +trunk answers/)
        assert.match(well, /ok +dialplan /)
        assert.match(yield* check({ ASTERISK_ARI_PASSWORD: "wrong" }), /failed +Asterisk .*401/)
        assert.match(
          yield* check({ ASTERISK_ENDPOINT: "PJSIP/{number}@other" }),
          /failed +trunk +There is no endpoint other\. Add the lines of pjsip\.conf/
        )
        assert.match(
          yield* check({ ASTERISK_ARI_URL: `http://127.0.0.1:${ServeProcess.freePort()}/ari` }),
          /failed +Asterisk .*ECONNREFUSED/
        )
        assert.lengthOf(phones.calls, 0)
      }),
    120_000
  )
})
