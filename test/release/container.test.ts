import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import process from "node:process"
import { describe } from "vitest"
import { tool } from "../../scripts/tools.ts"
import { fetched, root, run, running } from "../support/Consumer.ts"
import * as Postgres from "../support/postgres.ts"

const timeout = 240_000

interface Instruction {
  readonly keyword: string
  readonly argument: string
}

const read = (file: string) => readFile(join(root, file), "utf8")

/** The instructions of the file's stages. */
const stages = Effect.promise(async () => {
  const { DockerfileParser } = await tool("dockerfile-ast")
  const instructions: ReadonlyArray<Instruction> = DockerfileParser.parse(await read("Dockerfile")).getInstructions()
    .map(
      (instruction: { readonly getKeyword: () => string; readonly getTextContent: () => string }) => ({
        keyword: instruction.getKeyword(),
        // With its flags.
        argument: instruction.getTextContent().slice(instruction.getKeyword().length).trim()
      })
    )
  const starts = instructions.flatMap(({ keyword }, index) => keyword === "FROM" ? [index] : [])
  return starts.map((start, index) => instructions.slice(start, starts[index + 1]))
})

const argumentsOf = (stage: ReadonlyArray<Instruction>, keyword: string) =>
  stage.filter((instruction) => instruction.keyword === keyword).map(({ argument }) => argument)

/** Hardly anybody else's; from 32768 on ports are given to connections. */
const port = String(12_000 + (process.pid + 7) % 20_000)

describe("the container", () => {
  it.effect("is built in stages, runs as an unprivileged user, and has a health check", () =>
    Effect.gen(function*() {
      const [build = [], last = [], ...others] = yield* stages
      assert.isEmpty(others)
      assert.deepStrictEqual([...argumentsOf(build, "FROM"), ...argumentsOf(last, "FROM")], [
        "node:24-slim AS build",
        "node:24-slim"
      ])
      assert.deepStrictEqual(argumentsOf(last, "USER"), ["node"])
      assert.lengthOf(argumentsOf(last, "HEALTHCHECK"), 1)
      // What becomes part of the image: nothing but what the build stage left, and no secrets.
      assert.deepStrictEqual(argumentsOf(last, "COPY").filter((from) => !from.startsWith("--from=build ")), [])
      assert.notMatch(JSON.stringify([build, last]), /"(ADD|ARG)"|SECRET|PASSWORD|DATABASE_URL/)
    }))

  it.effect("has a Compose file that reads its secrets from the environment", () =>
    Effect.promise(async () => {
      const { parse } = await tool("yaml")
      const { services }: {
        readonly services: Record<
          string,
          {
            readonly environment: Record<string, string>
            readonly healthcheck?: unknown
            readonly profiles?: ReadonlyArray<string>
          }
        >
      } = parse(await read("compose.yaml"))
      assert.deepStrictEqual(Object.keys(services), ["postgres", "outdial", "asterisk"])
      // Without the profile, no Asterisk is built or started.
      assert.deepStrictEqual(
        Object.values(services).map(({ profiles }) => profiles),
        [undefined, undefined, ["asterisk"]]
      )
      assert.strictEqual(services["outdial"]?.environment["OUTDIAL_CARRIER"], "${OUTDIAL_CARRIER:-simulated}")
      assert.isDefined(services["postgres"]?.healthcheck)
      assert.match(services["postgres"]?.environment["POSTGRES_PASSWORD"] ?? "", /^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/)
      assert.match(services["outdial"]?.environment["OUTDIAL_SECRET_KEY"] ?? "", /^\$\{OUTDIAL_SECRET_KEY:\?[^}]+\}$/)
      assert.match(
        services["outdial"]?.environment["DATABASE_URL"] ?? "",
        /^postgres:\/\/outdial:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:5432\/outdial$/
      )
    }))

  it.live(
    "serves on a Postgres, and is healthy, by the very commands of the container file",
    () =>
      Effect.gen(function*() {
        const [build = [], last = []] = yield* stages
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-container-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
        )
        const built = join(folder, "build")
        const image = join(folder, "image")
        const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
        // COPY . . less what .dockerignore names, as far as it matters here.
        const { stdout: files } = yield* run("git", ["ls-files", "-co", "--exclude-standard"])
        const ignored = (yield* Effect.promise(() => read(".dockerignore"))).trim().split("\n")
        assert.includeMembers(ignored, [
          ".git",
          ".outdial",
          "**/node_modules",
          "**/dist",
          "packages/console/pages",
          "**/.env",
          "test"
        ])
        yield* Effect.promise(async () => {
          for (
            const file of files.trim().split("\n").filter((file) =>
              !/^(docs|test|tools|packages\/\w+\/test)\//.test(file)
            )
          ) {
            await mkdir(dirname(join(built, file)), { recursive: true })
            await cp(join(root, file), join(built, file))
          }
        })
        for (const command of argumentsOf(build, "RUN")) {
          yield* run("sh", ["-ec", command], { cwd: built, env: { PATH } })
        }
        for (const copy of argumentsOf(last, "COPY")) {
          const [from = "", to = ""] = copy.replace("--from=build /outdial/", "").split(" ")
          yield* Effect.promise(() =>
            cp(join(built, from), join(image, to), { recursive: true, verbatimSymlinks: true })
          )
        }

        const env = {
          PATH,
          NODE_ENV: "production",
          OUTDIAL_DATA: join(folder, "data"),
          PORT: port,
          DATABASE_URL: yield* Postgres.database,
          OUTDIAL_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
          OUTDIAL_CARRIER: "simulated"
        }
        const [program, ...args]: ReadonlyArray<string> = [
          ...JSON.parse(argumentsOf(last, "ENTRYPOINT")[0] ?? "[]"),
          ...JSON.parse(argumentsOf(last, "CMD")[0] ?? "[]")
        ]
        yield* running(program ?? "", args, { cwd: image, env })
        assert.deepStrictEqual(JSON.parse(yield* fetched(`http://127.0.0.1:${port}/readyz`)), { status: "ready" })
        assert.include(yield* fetched(`http://127.0.0.1:${port}/console/`), "<base href=\"/console/\">")
        const [test, ...rest]: ReadonlyArray<string> = JSON.parse(
          argumentsOf(last, "HEALTHCHECK")[0]?.replace(/^.*? CMD /, "") ?? "[]"
        )
        yield* run(test ?? "", rest, { cwd: image, env })
        const sick = yield* Effect.exit(run(test ?? "", rest, { cwd: image, env: { ...env, PORT: "9" } }))
        assert.isTrue(Exit.isFailure(sick))
      }),
    timeout
  )
})
