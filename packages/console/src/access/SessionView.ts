/** What the page knows of its user, and of the deployment. */
import { Accounts, Carriers, type Errors, Version } from "@outdial/core"
import { type DateTime, Effect } from "effect"
import type * as AccessApi from "./AccessApi.ts"
import type { CurrentConsoleUser } from "./CurrentConsoleUser.ts"

/** Makes the view of a user, whose session ends at the instant. */
export const make = Effect.gen(function*() {
  const accounts = yield* Accounts.Accounts
  const carriers = yield* Carriers.Carriers
  return Effect.fnUntraced(function*(
    { accountId, name, role }: CurrentConsoleUser["Service"],
    expiresAt: DateTime.Utc | undefined
  ): Effect.fn.Return<typeof AccessApi.SessionView.Type, Errors.Unavailable> {
    const all = yield* accounts.list
    return {
      role,
      name,
      accountId: accountId ?? null,
      accounts: all
        .filter(({ id }) => accountId === undefined || id === accountId)
        .map(({ id, name, paused }) => ({ id, name, paused })),
      allPaused: yield* accounts.allPaused,
      expiresAt: expiresAt ?? null,
      version: Version.version,
      carrier: (yield* carriers.list).map(({ name }) => name).join(", ")
    }
  })
})
