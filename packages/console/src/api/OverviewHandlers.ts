/** The overview of an account. */
import { Overviews, StatusCode } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"
import { notConnected, type Overview } from "./OverviewApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "overview",
  Effect.fnUntraced(function*(handlers) {
    const overviews = yield* Overviews.Overviews
    return handlers.handleAll({
      read: ({ params }) =>
        Effect.mapBoth(overviews.read(params.account), { onFailure: ApiErrors.from, onSuccess: shown })
    })
  })
)

const shown = (overview: Overviews.Overview): typeof Overview.Type => {
  const { answered, at, allPaused, carriers, day, dialed, lines, paused, timeZone, webhook, workers } = overview
  const count = (status: Parameters<typeof dialed.get>[0]) => dialed.get(status) ?? 0
  return {
    at,
    lines,
    paused,
    allPaused,
    calls: { queued: overview.queued, dialing: overview.dialing, inProgress: overview.inProgress },
    waiting: overview.waiting.map(({ calls, code, firstDue }) => ({
      statusCode: code ?? null,
      reason: code === undefined ? "Next to be dialed." : StatusCode.reason(code),
      calls,
      firstDue: firstDue ?? null
    })),
    waitingExact: overview.isExact,
    today: {
      day,
      timeZone,
      placed: [...dialed.values()].reduce((sum, calls) => sum + calls, 0),
      answered,
      completed: count("completed"),
      notConnected: Object.fromEntries(notConnected.map((status) => [status, count(status)]))
    },
    carriers: carriers.map(({ name, pause }) => ({
      name,
      paused: pause !== undefined,
      pausedBy: pause?.by ?? null,
      reason: pause?.reason ?? null,
      since: pause?.at ?? null
    })),
    webhook: {
      configured: webhook.isConfigured,
      disabled: webhook.isDisabled,
      failing: webhook.isFailing,
      openDeliveries: webhook.openDeliveries,
      oldestDue: webhook.oldestDue ?? null
    },
    workers,
    storageReady: overview.isStorageReady
  }
}
