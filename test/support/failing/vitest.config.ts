import { defineConfig } from "vitest/config"

/** A run with the set-up of all others, in which a test fails: see `exitCode.test.ts`. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ["fails.ts"], globalSetup: ["../postgresSetup.ts"] }
})
