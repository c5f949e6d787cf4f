import { defineConfig } from "vitest/config"

export default defineConfig({
  ssr: { resolve: { conditions: ["@outdial/source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/postgresSetup.ts"]
  }
})
