// Runs a script of this repository with the Node and the packages that it pins, installing them first when they are missing or
// older than the lock file. Has no dependencies and runs on Node 20, so that `npm start` and `npm test` work on a fresh clone.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installed = join(root, "node_modules", ".package-lock.json")
const node = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node")

const isInstalled = () =>
  existsSync(installed) && existsSync(node) &&
  statSync(installed).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs

if (!isInstalled()) {
  process.stderr.write("Installing what the lock file names (npm ci) …\n")
  // What npm says goes to standard error: standard output belongs to the command.
  const { status } = spawnSync("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32"
  })
  if (status !== 0) process.exit(status ?? 1)
}

// `--tied` opens a channel that closes when this process ends, also if it is killed.
const isTied = process.argv[2] === "--tied"
const child = spawn(node, ["--conditions=@outdial/source", ...process.argv.slice(isTied ? 3 : 2)], {
  cwd: root,
  stdio: ["inherit", "inherit", "inherit", ...(isTied ? ["ipc"] : [])]
})

// A terminal sends Ctrl-C to both processes: the child drains, and this one waits for it.
process.on("SIGINT", () => {})
process.on("SIGTERM", () => child.kill("SIGTERM"))
process.on("SIGHUP", () => child.kill("SIGHUP"))
child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))

// npm runs this in a shell. If either is killed there is no signal, but the parent process changes.
const ancestors = () => {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8")
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]}`
  } catch {
    return `${process.ppid}`
  }
}
const born = ancestors()
setInterval(() => {
  if (ancestors() !== born) child.kill("SIGTERM")
}, 500).unref()
