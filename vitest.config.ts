import { defineConfig } from "vitest/config"

// What takes its minute in real time is a command of its own: npm run test:long.
const long = process.argv.includes("test/long")

export default defineConfig({
  ssr: { resolve: { conditions: ["@outdial/source"] } },
  test: {
    include: long ? ["test/long/**/*.test.ts"] : ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: long ? [] : ["test/long/**", "**/node_modules/**"],
    globalSetup: ["test/support/postgresSetup.ts"]
  }
})
