import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OptionalPackage from "../../src/config/OptionalPackage.ts"

describe("a package that only some settings need", () => {
  it.effect("is named with the command that installs it, when it is missing", () =>
    Effect.gen(function*() {
      const messages = yield* Effect.forEach(
        ["@outdial/no-such-package", "@outdial/no-such-package/fake-twilio", "no-such-package"],
        (name) =>
          Effect.map(Effect.flip(OptionalPackage.load(name, { neededBy: "OUTDIAL_MODEL" })), ({ message }) => message)
      )
      const installed = "@outdial/no-such-package; install it with: npm install @outdial/no-such-package"
      assert.deepStrictEqual(messages, [
        `OUTDIAL_MODEL needs the package ${installed}`,
        `OUTDIAL_MODEL needs the package ${installed}`,
        "OUTDIAL_MODEL needs the package no-such-package; install it with: npm install no-such-package"
      ])
    }).pipe(Effect.provide(NodeServices.layer)))
})
