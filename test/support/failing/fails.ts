import { assert, it } from "@effect/vitest"

it("fails", () => assert.fail("as it should"))
