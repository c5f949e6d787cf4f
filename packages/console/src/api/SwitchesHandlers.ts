/** Stops and allows calling. */
import { Accounts, Carriers } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AddDetails } from "../access/Audited.ts"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "switches",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts.Accounts
    const carriers = yield* Carriers.Carriers
    return handlers.handleAll({
      pause: Effect.fnUntraced(function*({ params: { account }, payload: { paused } }) {
        yield* (yield* AddDetails)({ paused })
        yield* Effect.mapError(accounts.set(account, { paused }), ApiErrors.from)
        return { paused }
      }),
      pauseAll: Effect.fnUntraced(function*({ payload: { paused } }) {
        yield* (yield* AddDetails)({ paused })
        yield* Effect.mapError(accounts.pauseAll(paused), ApiErrors.from)
        return { paused }
      }),
      pauseCarrier: Effect.fnUntraced(function*({ params: { name } }) {
        const { pause } = yield* Effect.mapError(carriers.pause(name), ApiErrors.from)
        return { paused: pause !== undefined }
      }),
      resumeCarrier: Effect.fnUntraced(function*({ params: { name } }) {
        const { pause } = yield* Effect.mapError(carriers.resume(name), ApiErrors.from)
        return { paused: pause !== undefined }
      })
    })
  })
)
