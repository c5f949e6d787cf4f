import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/LongestFirst.ts"

// What takes its minute in real time is a command of its own, npm run test:long; what takes a quarter of an hour, another. What
// compiles and installs the packages for other projects is for releases: npm run test:release. What needs a real Asterisk: npm run
// test:asterisk. What needs a browser: npm run test:browser.
const isOf = (folder: string) => process.argv.some((argument) => argument.startsWith(folder))
const release = isOf("test/release")
const long = isOf("test/long") || release
const nightly = isOf("test/nightly")
const asterisk = isOf("test/asterisk")
const browser = isOf("test/browser")

// Random tests that take ten seconds each, beside others of the same part: npm run test:nightly, or npm test with the file's path.
const random = [
  "packages/core/test/rules/policy/Timetable.properties.test.ts",
  "packages/sql/test/call/ListsRandom.test.ts",
  "test/http/properties.test.ts",
  "test/model/deliveries.model.test.ts",
  "test/model/model.concurrent.test.ts"
]

const compileCache = resolve(import.meta.dirname, "node_modules/.cache/outdial/compiled")

export default defineConfig({
  ssr: { resolve: { conditions: ["@outdial/source"] } },
  test: {
    include: long || asterisk || browser
      // In the folder that `--dir` names, so that files can be chosen as with `npm test`.
      ? ["**/*.test.ts"]
      : nightly
      ? [
        "test/nightly/**/*.test.ts",
        "test/model/**/*.test.ts",
        "test/storage/**/*.test.ts",
        ...random
      ]
      : ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/*/*.contract.test.ts"],
    exclude: [
      "**/node_modules/**",
      ...long ? [] : ["test/long/**", "test/release/**"],
      ...nightly ? [] : ["test/nightly/**", ...random.filter((file) => !isOf(file))],
      ...asterisk ? [] : ["test/asterisk/**"],
      ...browser ? [] : ["test/browser/**"]
    ],
    globalSetup: [
      "test/support/postgresSetup.ts",
      "test/support/PgliteTemplate.ts",
      "test/support/ServerBundle.ts",
      ...long ? ["test/support/packedSetup.ts"] : []
    ],
    // A test may have to wait for its database, for a process or for other tests; one that hangs fails all the same.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // One more than cores: files that wait for processes and databases leave a quarter of the CPU time idle. Compilers do not, and
    // long tests wait for minutes, such as for leases of processes that were killed.
    maxWorkers: availableParallelism() + (release || nightly || asterisk || browser ? 0 : long ? 2 : 1),
    // Loading the modules of a file costs 0.4 s of CPU time, for most files more than their tests: a worker keeps them for its
    // next file. Tests share no mutable state, so nothing of one file can show in another.
    isolate: false,
    setupFiles: ["test/support/eachFile.ts"],
    sequence: { sequencer: LongestFirst },
    // Cases that run at once in a file start processes of their own; more of these would only be in each other's way.
    maxConcurrency: 3,
    // Hundreds of files are loaded for each file of tests and for each process that tests start: compiled once is enough.
    env: {
      NODE_COMPILE_CACHE: compileCache,
      ...(nightly || isOf("test/storage")) && { OUTDIAL_WHOLE_CONTRACTS: "1" },
      ...nightly && { OUTDIAL_MODEL_RUNS: process.env["OUTDIAL_MODEL_RUNS"] ?? "100" }
    }
  }
})
