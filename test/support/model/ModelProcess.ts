/** The model server as a process of its own, which interviews. */
import { Effect } from "effect"
import * as DevProcess from "../DevProcess.ts"

/** Starts it. Returns the settings with which Outdial uses it, as variables of the environment. */
export const start = Effect.gen(function*() {
  const { output } = yield* DevProcess.spawnScript("test/support/model/main.ts", [])
  const url = yield* DevProcess.eventually(Effect.suspend(() => {
    const { stderr, stdout } = output()
    return stdout.startsWith("http") ? Effect.succeed(stdout.trim()) : new DevProcess.NotYet({ seen: stderr })
  }))
  return { OUTDIAL_MODEL: "interviewer", OUTDIAL_MODEL_URL: url }
})
