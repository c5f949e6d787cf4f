/** Builds and packs the packages, and fails if one of them should not be published. Publishes nothing. */
import { spawnSync } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Packed from "./packed.ts"

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`

const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "build.mjs")], { stdio: "inherit" })
if (status !== 0) process.exit(status ?? 1)
const into = await mkdtemp(join(tmpdir(), "outdial-packed-"))
const wrong = [...await Packed.publishWarnings()]
for (const packed of await Packed.packAll(into)) {
  console.log(`${packed.name}: ${kilobytes(packed.size)} to download, ${kilobytes(packed.unpackedSize)} installed`)
  wrong.push(...(await Packed.problems(packed)).map((problem) => `${packed.name}: ${problem}`))
}
await rm(into, { recursive: true })
console.log(wrong.length === 0 ? "Nothing speaks against publishing them" : wrong.join("\n"))
process.exit(wrong.length === 0 ? 0 : 1)
