import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe } from "vitest"

const root = resolve(import.meta.dirname, "..")

/** Which packages a package may import; nothing imports `server`. */
const packages: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  http: ["core"],
  sql: ["core"],
  node: ["core", "http"],
  testkit: ["core"],
  ai: ["core"],
  carriers: ["core", "http"],
  console: ["core", "http", "node"],
  server: ["core", "http", "sql", "node", "ai", "carriers", "console"]
}

/** Inside core these are pure: the domain stands alone, and rules are functions over the domain. */
const pure = ["domain", "rules"]

/** The doors of a package beside its front door. */
const entries: Readonly<Record<string, ReadonlyArray<string>>> = {
  carriers: ["asterisk", "telnyx", "twilio"],
  core: ["names", "presets", "webhooks"],
  http: ["client"]
}

/** Whether the specifier names a door of one of these packages. */
const opensDoor = (specifier: string, allowed: ReadonlyArray<string>): boolean => {
  const [, name = "", ...entry] = specifier.split("/")
  return allowed.includes(name) && (entry.length === 0 || entries[name]?.includes(entry.join("/")) === true)
}

/** What each package may import from outside; everything else stays behind its own package. */
const outside: Readonly<Record<string, RegExp>> = {
  core: /^(effect|effect\/(crypto|encoding)|libphonenumber-js\/max)$/,
  http: /^effect(\/(http|http-api|encoding|crypto|observability|socket|testing))?$/,
  sql: /^(effect|effect\/sql|@effect\/sql-pg|@electric-sql\/pglite|node:.*)$/,
  node: /^(effect|effect\/.*|@effect\/platform-node(\/.*)?|node:.*|undici)$/,
  ai: /^(effect(\/(ai|encoding|socket))?|@ai-sdk\/provider)$/,
  carriers: /^effect(\/(http|encoding|crypto))?$/,
  console: /^(effect|effect\/.*|@effect\/platform-node(\/.*)?|node:.*)$/,
  testkit: /^(effect|effect\/testing|@effect\/vitest|vitest|node:(crypto|http|net))$/,
  server: /^(effect|effect\/.*|@effect\/platform-node(\/.*)?|standardwebhooks|node:.*)$/
}

const specifiers = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(join(root, file), "utf8").matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^"';]*?from "([^"]+)"|import\("([^"]+)"\)/g
    ),
    (match) => match[1] ?? match[2] ?? ""
  )

const sources = (pattern: string) => globSync(pattern, { cwd: root }).sort()

/** The imports that a rule forbids, as `file: specifier`. */
const breaches = (pattern: string, isAllowed: (specifier: string, file: string) => boolean) =>
  sources(pattern).flatMap((file) =>
    specifiers(file).filter((specifier) => !isAllowed(specifier, file)).map((specifier) => `${file}: ${specifier}`)
  )

describe("layering", () => {
  for (const [name, allowed] of Object.entries(packages)) {
    const pattern = `packages/${name}/src/**/*.ts`

    it(`${name} imports only ${allowed.length === 0 ? "itself" : allowed.join(", ")}, through their doors`, () => {
      assert.isNotEmpty(sources(pattern))
      assert.deepStrictEqual(
        breaches(
          pattern,
          (specifier) => !specifier.startsWith("@outdial/") || opensDoor(specifier, allowed)
        ),
        []
      )
    })

    it(`${name} imports only the external packages that it may use`, () => {
      const known = outside[name]
      assert.deepStrictEqual(
        breaches(
          pattern,
          (specifier) =>
            specifier.startsWith(".") || specifier.startsWith("@outdial/") || known?.test(specifier) === true
        ),
        []
      )
    })

    it(`${name} reaches into no other package by path`, () => {
      const home = join(root, "packages", name, "src")
      assert.deepStrictEqual(
        breaches(
          pattern,
          (specifier, file) =>
            !specifier.startsWith(".") || !relative(home, resolve(root, dirname(file), specifier)).startsWith("..")
        ),
        []
      )
    })
  }

  for (const [index, layer] of pure.entries()) {
    it(`inside core, ${layer} imports only from ${pure.slice(0, index + 1).join(", ")}`, () => {
      const home = join(root, "packages/core/src")
      assert.isNotEmpty(sources(`packages/core/src/${layer}/**/*.ts`))
      assert.deepStrictEqual(
        breaches(`packages/core/src/${layer}/**/*.ts`, (specifier, file) => {
          if (!specifier.startsWith(".")) return true
          const [target = ""] = relative(home, resolve(root, dirname(file), specifier)).split("/")
          return pure.slice(0, index + 1).includes(target)
        }),
        []
      )
    })
  }

  it("inside core, a store's port imports only the domain, the rules and the base of storage", () => {
    const ports = sources("packages/core/src/*/{*Store,StorageStats}.ts").filter((file) =>
      !/\/Memory\w+\.ts$/.test(file)
    )
    const home = join(root, "packages/core/src")
    const named = Array.from(
      readFileSync(join(home, "engine/Storage.ts"), "utf8").matchAll(/export \* from "\.\.\/([^"]+)"/g),
      ([, path]) => `packages/core/src/${path}`
    )
    assert.deepStrictEqual(ports, named.sort())
    for (const port of ports) {
      assert.deepStrictEqual(
        breaches(port, (specifier, file) => {
          if (!specifier.startsWith(".")) return true
          return /^(domain|rules|storage)\//.test(relative(home, resolve(root, dirname(file), specifier)))
        }),
        []
      )
    }
  })

  it("inside core, services require the stores they use, and only the engine as a whole knows Storage", () => {
    assert.deepStrictEqual(
      breaches(
        "packages/core/src/!(engine|promise)/**/*.ts",
        (specifier) => !specifier.endsWith("/engine/Storage.ts")
      ),
      []
    )
  })

  /** The folders that each folder imports from, with a file that does. Files at the root of a package, such as its `Api.ts`, put it together. */
  const foldersOf = (home: string) => {
    const edges = new Map<string, Map<string, string>>()
    for (const file of sources(`${home}/*/**/*.ts`)) {
      const from = dirname(file)
      for (const specifier of specifiers(file).filter((specifier) => specifier.startsWith("."))) {
        const to = dirname(join(dirname(file), specifier))
        if (to === from || to === home) continue
        edges.set(from, (edges.get(from) ?? new Map<string, string>()).set(to, file))
      }
    }
    return edges
  }

  /** The imports that lead from the folder back to itself. */
  const circle = (edges: ReturnType<typeof foldersOf>, start: string): ReadonlyArray<string> => {
    const ways = new Map<string, ReadonlyArray<string>>([[start, []]])
    for (const [folder, way] of ways) {
      for (const [to, file] of edges.get(folder) ?? []) {
        if (to === start) return [...way, file]
        if (!ways.has(to)) ways.set(to, [...way, file])
      }
    }
    return []
  }

  for (const name of Object.keys(packages)) {
    it(`the folders of ${name} form no circle`, () => {
      const edges = foldersOf(`packages/${name}/src`)
      assert.isNotEmpty(sources(`packages/${name}/src/*/**/*.ts`))
      assert.deepStrictEqual([...edges.keys()].flatMap((folder) => circle(edges, folder)), [])
    })
  }

  /** What comes with a door at run time: its own files, and the specifiers of all else. Imports of types are gone by then. */
  const behind = (entry: string) => {
    const files = new Set([entry])
    const others = new Set<string>()
    for (const file of files) {
      for (
        const [, specifier = ""] of readFileSync(join(root, file), "utf8").matchAll(
          /(?:^|\n)(?:import|export) (?!type)[^"';]*?from "([^"]+)"/g
        )
      ) {
        if (specifier.startsWith(".")) files.add(join(dirname(file), specifier))
        else others.add(specifier)
      }
    }
    return { files: [...files], others: [...others] }
  }

  it("testkit's front door needs no test runner", () => {
    const { files, others } = behind("packages/testkit/src/index.ts")
    assert.include(files, "packages/testkit/src/test-engine/PromiseTestEngine.ts")
    assert.sameMembers(others, ["@outdial/core", "effect", "effect/testing"])
  })

  it("inside core, the entry for receivers imports neither the engine nor Effect", () => {
    const entry = "packages/core/src/webhooks.ts"
    const { files: reached, others } = behind(entry)
    assert.deepStrictEqual(others, [])
    const outside = reached.filter((file) => file !== entry && !file.startsWith("packages/core/src/receiver/"))
    assert.deepStrictEqual(outside, ["packages/core/src/domain/NearestName.ts"])
    assert.include(reached, "packages/core/src/receiver/VerifyWebhook.ts")
    // Where there is Web Crypto, there need be nothing of Node.
    for (const file of reached) {
      assert.notMatch(readFileSync(join(root, file), "utf8"), /\b(Buffer|process|require)\b/, file)
    }
  })

  /** The modules of core that files import by name, of those that declare a service with a layer or a port without one. */
  const named = (files: ReadonlyArray<string>, isMeant: (source: string) => boolean) => {
    const modules = sources("packages/core/src/**/*.ts").filter((file) =>
      isMeant(readFileSync(join(root, file), "utf8"))
    )
      .map((file) => file.replace(/^.*\/(.*)\.ts$/, "$1"))
    assert.isNotEmpty(modules)
    return files.flatMap((file) =>
      Array.from(
        readFileSync(join(root, file), "utf8").matchAll(/import (?:type )?\{([^}]*)\} from "@outdial\/core"/g),
        (match) => match[1] ?? ""
      ).flatMap((names) => names.split(",").map((name) => name.replace("type ", "").trim()))
        .filter((name) => modules.includes(name)).map((name) => `${file}: ${name}`)
    )
  }

  it("sql and testkit use no service over the storage, but for the test engine", () => {
    const files = sources("packages/{sql,testkit}/src/**/*.ts").filter((file) => !file.includes("/test-engine/"))
    const overStorage = (source: string) =>
      /static readonly layer\b/.test(source) && /yield\* (\w+Store|StorageStats)\n/.test(source)
    assert.deepStrictEqual(named(files, overStorage), [])
  })
})
