#!/usr/bin/env node
/** Starts `outdial` if this Node can run it. On an older Node the modules would fail with an unrelated message. */
const oldest = [22, 19] as const

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  const { main } = await import("./main.ts")
  main()
} else {
  process.stderr.write(`outdial: Node ${oldest.join(".")} or later is needed; this is ${process.versions.node}\n`)
  process.exitCode = 1
}
