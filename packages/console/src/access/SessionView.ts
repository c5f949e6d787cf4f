/** What the page knows of its user, and of the deployment. */
import { Accounts, Carriers, type Errors, Version } from "@outdial/core"
import { type DateTime, Effect } from "effect"
import type * as AccessApi from "./AccessApi.ts"
import type { CurrentConsoleUser } from "./CurrentConsoleUser.ts"

/** The view of a user, whose session ends at the instant. */
export type View = (
  user: CurrentConsoleUser["Service"],
  expiresAt: DateTime.Utc | undefined
) => typeof AccessApi.SessionView.Type

/** Reads the deployment, for a view. */
export const make: Effect.Effect<
  Effect.Effect<View, Errors.Unavailable>,
  never,
  Accounts.Accounts | Carriers.Carriers
> = Effect.gen(function*() {
  const accounts = yield* Accounts.Accounts
  const carriers = yield* Carriers.Carriers
  return Effect.gen(function*() {
    const all = yield* accounts.list
    const allPaused = yield* accounts.allPaused
    const carrier = (yield* carriers.list).map(({ name }) => name).join(", ")
    return ({ accountId, name, role }, expiresAt) => ({
      role,
      name,
      accountId: accountId ?? null,
      accounts: all
        .filter(({ id }) => accountId === undefined || id === accountId)
        .map(({ id, name, paused }) => ({ id, name, paused })),
      allPaused,
      expiresAt: expiresAt ?? null,
      version: Version.version,
      carrier
    })
  })
})
