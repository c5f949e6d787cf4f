/** The policy of an account, and what another would mean. */
import { Accounts, Errors, Explanations, Policy, PolicyPreviews } from "@outdial/core"
import * as CallingPresets from "@outdial/core/presets"
import { ApiErrors } from "@outdial/http"
import { Effect, Equal, String as Str } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AddDetails } from "../access/Audited.ts"
import { CurrentConsoleUser } from "../access/CurrentConsoleUser.ts"
import * as ViewerRequests from "../access/ViewerRequests.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import { shownProblem } from "./Endpoints.ts"
import type { AccountPolicy } from "./PolicyApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "policy",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts.Accounts
    const explanations = yield* Explanations.Explanations
    const previews = yield* PolicyPreviews.PolicyPreviews
    return handlers.handleAll({
      get: Effect.fnUntraced(function*({ params: { account } }) {
        const { policy } = yield* Effect.mapError(accounts.get(account), ApiErrors.from)
        return shown(policy)
      }),
      put: Effect.fnUntraced(function*({ params: { account }, payload }) {
        const policy = yield* Effect.mapError(
          previews.read(payload.policy),
          ({ problems }) =>
            ApiErrors.invalidRequest(
              "body",
              problems.map(({ message, path }) => ({ message, path: ["policy", ...path] }))
            )
        )
        const before = yield* Effect.mapError(accounts.get(account), ApiErrors.from)
        yield* (yield* AddDetails)({ changed: changedFields(before.policy ?? {}, policy).join(", ") })
        const changed = yield* Effect.mapError(accounts.set(account, { policy }), ApiErrors.from)
        return shown(changed.policy)
      }),
      preview: Effect.fnUntraced(function*({ params: { account }, payload }) {
        const { agentId, phoneNumber, preset: presetId, timeZone } = payload
        if (phoneNumber !== undefined && (yield* CurrentConsoleUser).role === "viewer") {
          return yield* ViewerRequests.refusal
        }
        const preset = presetId === undefined ? undefined : CallingPresets.find(presetId)
        if (presetId !== undefined && preset === undefined) return yield* unknownPreset
        const read = yield* Effect.result(previews.read(payload.policy))
        if (read._tag === "Failure") {
          return { problems: read.failure.problems.map(shownProblem), warnings: [], effect: null }
        }
        const policy = read.success
        const effect = yield* Effect.mapError(previews.effectOf(account, policy), ApiErrors.from)
        const warnings = [
          ...CallingPresets.lintGeneral(policy),
          ...(preset === undefined ? [] : CallingPresets.lint(policy, preset))
        ]
        const narrowed = preset === undefined ? {} : { narrowed: CallingPresets.apply(policy, preset) }
        if (phoneNumber === undefined) return { problems: [], warnings, effect, ...narrowed }
        const request = {
          phoneNumber,
          ...(agentId !== undefined && { agentId }),
          ...(timeZone !== undefined && { contact: { timeZone } })
        }
        const explanation = yield* explanations.preview(account, request, { policy }).pipe(
          Effect.mapError(ApiErrors.from)
        )
        return { problems: [], warnings, effect, explanation, ...narrowed }
      }),
      presets: () => Effect.succeed({ data: CallingPresets.list(), disclaimer: CallingPresets.disclaimer })
    })
  })
)

/** The names of the fields that differ, as they are written in a policy. */
const changedFields = (before: Policy.PolicyDocument, after: Policy.PolicyDocument): ReadonlyArray<string> =>
  (Object.keys(Policy.PolicyDocument.fields) as Array<keyof Policy.PolicyDocument>) // the keys of its own type
    .filter((field) => !Equal.equals(before[field], after[field]))
    .map((field) => Str.camelToSnake(field))

const unknownPreset = ApiErrors.from(
  new Errors.InvalidRequest({ problems: [{ path: ["preset"], message: "must be the id of a preset" }] })
)

const shown = (policy: Policy.PolicyDocument | undefined): typeof AccountPolicy.Type => ({
  policy: policy ?? null,
  defaults: Policy.defaults,
  warnings: policy === undefined ? [] : CallingPresets.lintGeneral(policy)
})
