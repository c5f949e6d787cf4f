// Builds the packages: ESM with declarations in each one's `dist`, which is emptied before, so that nothing is left in it of
// sources that are gone, and the page of the console. Needs only TypeScript and Vite.
import { spawnSync } from "node:child_process"
import { chmodSync, readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

for (const name of readdirSync(join(root, "packages"))) {
  rmSync(join(root, "packages", name, "dist"), { recursive: true, force: true })
}
const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
const { status } = spawnSync(process.execPath, [tsc, "-b", join(root, "tsconfig.build.json")], { stdio: "inherit" })
if (status === 0) chmodSync(join(root, "packages", "server", "dist", "bin.js"), 0o755)
if (status !== 0) process.exit(status ?? 1)
// The console's page, which the package contains as static files.
const vite = join(root, "node_modules", "vite", "bin", "vite.js")
const app = join(root, "packages", "console", "app")
process.exit(spawnSync(process.execPath, [vite, "build", app, "--logLevel", "warn"], { stdio: "inherit" }).status ?? 1)
