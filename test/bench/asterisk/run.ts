/**
 * Measures calls over a real Asterisk, beside Asterisk that plays to itself: `OUTDIAL_ASTERISK=… npm run bench:asterisk`, or with `-- load`, `echoes` or
 * `interruptions` a part of it. Phones are in this
 * process, and Outdial is in another.
 */
import { Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Console, Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Pbx from "../../asterisk/Pbx.ts"
import * as SipPhone from "../../asterisk/SipPhone.ts"
import * as ChildProcess from "../ChildProcess.ts"
import type { Dialed, Mode, Request } from "./node.ts"

/** What Asterisk does alone. */
const dialplan = `
[bench-echo]
exten => s,1,Echo()
[bench-tone]
exten => s,1,Playtones(1004)
 same => n,Wait(300)
`

/** Calls at once for jitter, CPU time and memory; of the echo; of interruptions; and dials. */
const [many, few, interrupted, dials] = [50, 4, 10, 300]

/** How long a figure is measured. */
const span = 20_000

const tone = (millis: number) => Tones.tone({ hertz: 440, millis, format: "mulaw" })

const silence = (millis: number) => new Uint8Array(millis * 8).fill(0xff)

/** By the first digit after the country: what the phone does. */
const behaviours: Readonly<Record<string, SipPhone.Behaviour>> = {
  // Talks all the time.
  "2": { answersAfter: 50, says: tone(10_000) },
  // A frame every 400 ms.
  "3": { answersAfter: 50, says: Buffer.concat([silence(380), tone(20)]) },
  // Interrupts every 2.7 s.
  "4": { answersAfter: 50, says: Buffer.concat([silence(2_400), tone(300)]) },
  "5": { refuses: "486 Busy Here" }
}

const numbersOf = (kind: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+1${kind}15555${String(from + index).padStart(4, "0")}`)

const isLoud = (audio: Uint8Array) => Samples.samplesOf("mulaw", audio).some((sample) => Math.abs(sample) > 5_000)

const percentile = (values: ReadonlyArray<number>, percent: number) => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? Number.NaN
}

const shown = (values: ReadonlyArray<number>, ...percents: ReadonlyArray<number>) =>
  percents.map((percent) => `p${percent} ${percentile(values, percent).toFixed(1)} ms`).join(", ") +
  ` (${values.length} measured)`

/** How far packets are from 20 ms after the one before, in milliseconds. */
const jitterOf = (calls: ReadonlyArray<SipPhone.PhoneCall>, from: number, to: number) =>
  calls.flatMap(({ heardAt }) => {
    const within = heardAt.filter((at) => at >= from && at < to)
    return within.slice(1).map((at, index) => Math.abs(at - (within[index] ?? at) - 20))
  })

/** From each loud frame that the phone says to the next one that it hears, in milliseconds. */
const echoesOf = (calls: ReadonlyArray<SipPhone.PhoneCall>) =>
  calls.flatMap(({ heard, heardAt, spokenAt }) => {
    const loudAt = heardAt.filter((_, index) => isLoud(heard[index] ?? new Uint8Array()))
    return spokenAt.filter((_, frame) => frame % 20 === 19).flatMap((saidAt) => {
      const found = loudAt.find((at) => at > saidAt)
      return found === undefined || found - saidAt > 380 ? [] : [found - saidAt]
    })
  })

/** From the first sample that the phone says to the last one that it hears of the agent, where that has spoken, in milliseconds. */
const silencedOf = (calls: ReadonlyArray<SipPhone.PhoneCall>) =>
  calls.flatMap(({ heard, heardAt, spokenAt }) => {
    const loudAt = heardAt.filter((_, index) => isLoud(heard[index] ?? new Uint8Array()))
    return spokenAt.filter((_, frame) => frame % 135 === 120).flatMap((sentAt) => {
      const spoke = loudAt.some((at) => at > sentAt - 60 && at <= sentAt)
      const after = loudAt.filter((at) => at > sentAt && at < sentAt + 1_500)
      const last = after.find((at, index) => (after[index + 1] ?? Infinity) - at > 200)
      return spoke && last !== undefined ? [last + 20 - (sentAt - 20)] : []
    })
  })

/** Milliseconds of CPU time of a process. */
const cpuOf = (pid: number) => {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number)
  // In hundredths of a second.
  return (user + system) * 10
}

const program = Effect.gen(function*() {
  const phones = yield* SipPhone.make
  const invitedAt = new Map<string, number>()
  phones.behave((number) => {
    invitedAt.set(number, Number(process.hrtime.bigint()))
    return behaviours[number.slice(2, 3)] ?? {}
  })
  const pbx = yield* Pbx.make({ phones: phones.port, dialplan })
  const callsTo = (numbers: ReadonlyArray<string>) => phones.calls.filter(({ number }) => numbers.includes(number))
  const answered = (numbers: ReadonlyArray<string>) =>
    Effect.sync(() => callsTo(numbers).filter(({ state }) => state === "answered").length).pipe(
      Effect.delay("100 millis"),
      Effect.repeat({ until: (count) => count === numbers.length, times: 600 }),
      Effect.andThen((count) =>
        count === numbers.length ? Effect.void : Effect.die(new Error(`${count} of ${numbers.length} were answered`))
      )
    )
  const hangUp = (numbers: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const { id } of callsTo(numbers)) phones.hangUp(id)
    }).pipe(Effect.andThen(Effect.sleep("2 seconds")))
  const asterisk = (context: string, numbers: ReadonlyArray<string>) =>
    Effect.forEach(numbers, (number) => {
      const endpoint = encodeURIComponent(`PJSIP/${number}@trunk`)
      return Effect.promise(() =>
        pbx.ask("POST", `/channels?endpoint=${endpoint}&context=${context}&extension=s&priority=1`)
      )
    })
  const node = (mode: Mode) =>
    Effect.map(
      ChildProcess.start(join(import.meta.dirname, "node.ts"), [
        mode,
        pbx.ariUrl,
        pbx.user,
        Redacted.value(pbx.password)
      ]),
      ({ ask }) => (request: Request) => ask(request)
    )
  const shows = (figure: string, text: string) => Console.log(`${figure.padEnd(32)} ${text}`)

  const window = <E, R>(numbers: ReadonlyArray<string>, cpu: Effect.Effect<number, E, R>) =>
    Effect.gen(function*() {
      yield* answered(numbers)
      yield* Effect.sleep("4 seconds")
      const [from, before, pbxBefore] = [performance.now(), yield* cpu, cpuOf(pbx.pid())]
      yield* Effect.sleep(span)
      const [to, after, pbxAfter] = [performance.now(), yield* cpu, cpuOf(pbx.pid())]
      const perCall = (millis: number) => `${(100 * millis / (to - from) / numbers.length).toFixed(2)} % of a core`
      return {
        jitter: jitterOf(callsTo(numbers), from, to),
        cpu: perCall(after - before),
        pbx: perCall(pbxAfter - pbxBefore)
      }
    })

  const load = Effect.gen(function*() {
    // Asterisk alone.
    const alone = numbersOf("2", many)
    yield* asterisk("bench-tone", alone)
    const bare = yield* window(alone, Effect.succeed(0))
    yield* shows(`jitter, ${many} calls, Asterisk`, shown(bare.jitter, 50, 99))
    yield* shows("CPU of Asterisk per call, alone", bare.pbx)
    yield* hangUp(alone)

    yield* Effect.scoped(Effect.gen(function*() {
      const ask = yield* node("talk")
      const idle = Number(yield* ask({ task: "cpu" }))
      yield* Effect.sleep("5 seconds")
      const idleCpu = Number(yield* ask({ task: "cpu" })) - idle
      const numbers = numbersOf("2", many, 2_000)
      const half = numbers.slice(many / 2)
      yield* ask({ task: "call", numbers: half })
      yield* answered(half)
      yield* Effect.sleep("8 seconds")
      const memory = Effect.map(ask({ task: "memory" }), (value) => value as ReadonlyArray<number>)
      const before = yield* memory
      yield* ask({ task: "call", numbers: numbers.slice(0, many / 2) })
      const measured = yield* window(numbers, Effect.map(ask({ task: "cpu" }), Number))
      const grown = (yield* memory).map((bytes, index) => (bytes - (before[index] ?? 0)) / (many / 2) / 1_048_576)
      yield* shows(`jitter, ${many} calls, Outdial`, shown(measured.jitter, 50, 99))
      yield* shows("CPU of Outdial per call", `${measured.cpu}; idle ${(idleCpu / 50).toFixed(2)} %`)
      yield* shows("CPU of Asterisk per call", measured.pbx)
      yield* shows(
        "memory of Outdial per call",
        `${grown[1]?.toFixed(2)} MB in use, ${grown[0]?.toFixed(2)} MB of the process`
      )
      yield* hangUp(numbers)
    }))
  })

  const echoes = Effect.gen(function*() {
    const echoing = numbersOf("3", few)
    yield* asterisk("bench-echo", echoing)
    yield* answered(echoing)
    yield* Effect.sleep(span)
    const own = echoesOf(callsTo(echoing))
    yield* hangUp(echoing)
    yield* shows("frame there and back, Asterisk", shown(own, 50, 99))
    yield* Effect.scoped(Effect.gen(function*() {
      const ask = yield* node("echo")
      const numbers = numbersOf("3", few, 1_000)
      yield* ask({ task: "call", numbers })
      yield* answered(numbers)
      yield* Effect.sleep(span)
      const ours = echoesOf(callsTo(numbers))
      yield* shows("frame there and back, Outdial", shown(ours, 50, 99))
      yield* shows(
        "delay added",
        [50, 99].map((percent) => `p${percent} ${(percentile(ours, percent) - percentile(own, percent)).toFixed(1)} ms`)
          .join(", ")
      )
      yield* hangUp(numbers)

      const busy = numbersOf("5", dials)
      const dialed = (yield* ask({ task: "call", numbers: busy })) as ReadonlyArray<Dialed>
      const times = dialed.flatMap(({ at, number }) => {
        const invited = invitedAt.get(number)
        return invited === undefined ? [] : [(invited - at) / 1_000_000]
      })
      yield* shows("dial to INVITE", shown(times, 50, 99))
    }))
  })

  const interruptions = Effect.scoped(Effect.gen(function*() {
    const ask = yield* node("interrupted")
    const numbers = numbersOf("4", interrupted)
    yield* ask({ task: "call", numbers })
    yield* answered(numbers)
    yield* Effect.sleep(2 * span)
    yield* shows(`silent at ${interrupted} callees`, shown(silencedOf(callsTo(numbers)), 50, 95, 99))
    yield* hangUp(numbers)
  }))

  const parts = { load, echoes, interruptions }
  const named = Object.entries(parts).filter(([name]) => process.argv[2] === undefined || process.argv[2] === name)
  yield* Effect.forEach(named, ([, part]) => part, { discard: true })
})

await Effect.runPromise(Effect.scoped(program))
