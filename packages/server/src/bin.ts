#!/usr/bin/env node
/** `outdial`, where Node can run it: on an older one the modules behind it fail in words that say nothing of that. */
const oldest = [22, 19] as const

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  const { main } = await import("./main.ts")
  main()
} else {
  process.stderr.write(`outdial: Node ${oldest.join(".")} or later is needed; this is ${process.versions.node}\n`)
  process.exitCode = 1
}
