/**
 * An Asterisk of its own, with exactly the files that `outdial asterisk config` prints. `OUTDIAL_ASTERISK` is a folder with a script `start`, as
 * docs/guides/asterisk.md describes it.
 */
import { AsteriskFiles } from "@outdial/carriers/asterisk"
import { Effect, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Fails with how to get one. */
export const startScript = (): string => {
  const folder = process.env["OUTDIAL_ASTERISK"] ?? ""
  const script = join(folder, "start")
  if (folder !== "" && existsSync(script)) return script
  throw new Error(
    "These tests need a real Asterisk. Set OUTDIAL_ASTERISK to a folder with a script `start`: " +
      "docs/guides/asterisk.md says how to build or pull one"
  )
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export interface Pbx {
  readonly ariUrl: string
  readonly user: string
  readonly password: Redacted.Redacted
  /** Its configuration, by the names of the files. */
  readonly files: Readonly<Record<string, string>>
  /** The process of Asterisk itself. */
  readonly pid: () => number
  /** A request to ARI. */
  readonly ask: (method: string, path: string) => Promise<{ readonly status: number; readonly body: string }>
  /** The lines of its log. */
  readonly log: () => Promise<string>
  /** Sends the signal to Asterisk, and returns when its process is gone. */
  readonly end: (signal: "SIGKILL" | "SIGTERM") => Promise<void>
  /** Starts it again in the same folder. */
  readonly start: () => Promise<void>
}

export interface PbxOptions {
  /** The port of the phones. */
  readonly phones: number
  readonly channels?: number
  /** Whether Asterisk asks every so many seconds whether the trunk lives. Default: it does not. */
  readonly qualifySeconds?: number
  readonly media?: AsteriskFiles.FilesOptions["media"]
  /** More of the dialplan. */
  readonly dialplan?: string
  /** UDP ports for sound, two for each call. Default: 998. */
  readonly rtpPorts?: number
}

let ranges = 0

/** It takes a second, unless the machine is busy. */
const startedWithin = 60_000

export const make = (
  { channels = 300, dialplan = "", media, phones, qualifySeconds = 0, rtpPorts = 998 }: PbxOptions
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const script = startScript()
      const dir = await mkdtemp(join(tmpdir(), "outdial-pbx-"))
      const [http, sip] = [await freePort(), await freePort()]
      const from = 20_000 + (process.pid % 5) * 2_000 + (ranges++ % 2) * 1_000
      const [user, password] = ["outdial", "a secret; of tests"]
      const etc = join(dir, "files")
      await mkdir(join(dir, "etc/custom"), { recursive: true })
      await mkdir(etc)
      await writeFile(join(dir, "etc/custom/asterisk.conf"), `[directories](+)\nastetcdir => ${etc}\n`)
      const files = AsteriskFiles.make({
        trunk: { name: "trunk", host: `127.0.0.1:${phones}`, qualifySeconds },
        user,
        password,
        http: { address: "127.0.0.1", port: http },
        sip: { address: "127.0.0.1", port: sip },
        rtp: { from, to: from + rtpPorts },
        channels,
        media
      })
      for (const [name, text] of Object.entries(files)) await writeFile(join(etc, name), text)
      await appendFile(join(etc, "extensions.conf"), dialplan)
      await writeFile(join(etc, "logger.conf"), "[general]\n[logfiles]\nfull => notice,warning,error\n")
      let child: ChildProcess | undefined
      let pid = 0
      const start = () =>
        new Promise<void>((resolve, reject) => {
          const args = [
            "--dir",
            dir,
            "--http",
            String(http),
            "--sip",
            String(sip),
            "--user",
            user,
            "--password",
            password
          ]
          const started = spawn(script, args, { stdio: ["ignore", "pipe", "pipe"] })
          child = started
          let errors = ""
          const timer = setTimeout(() => reject(new Error(`Asterisk has not started: ${errors}`)), startedWithin)
          started.stderr.setEncoding("utf8").on("data", (text: string) => errors += text)
          started.once("exit", () => reject(new Error(`Asterisk has ended: ${errors}`)))
          started.stdout.setEncoding("utf8").once("data", (line: string) => {
            clearTimeout(timer)
            pid = JSON.parse(line).pid
            resolve()
          })
        })
      const end = (signal: "SIGKILL" | "SIGTERM") =>
        new Promise<void>((resolve) => {
          if (child === undefined || child.exitCode !== null) return resolve()
          child.once("exit", () => resolve())
          process.kill(pid, signal)
        })
      await start()
      const ariUrl = `http://127.0.0.1:${http}/ari`
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
      const pbx: Pbx & { readonly remove: () => Promise<void> } = {
        ariUrl,
        user,
        password: Redacted.make(password),
        files,
        pid: () => pid,
        ask: async (method, path) => {
          const response = await fetch(ariUrl + path, { method, headers: { authorization } })
          return { status: response.status, body: await response.text() }
        },
        log: () => readFile(join(dir, "log/full"), "utf8"),
        end,
        start,
        remove: async () => {
          try {
            process.kill(pid, "SIGCONT")
          } catch {
            // It is gone already.
          }
          await end("SIGKILL")
          await rm(dir, { recursive: true, force: true })
        }
      }
      return pbx
    }),
    ({ remove }) => Effect.promise(remove)
  )
