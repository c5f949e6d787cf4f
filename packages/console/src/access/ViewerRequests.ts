/**
 * What viewers may not ask, although they may read: the answer to a question about a number that they name would tell what masked
 * numbers do not.
 */
import { type ConsoleRole, Masking } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import type * as Audited from "./Audited.ts"
import { actionOf } from "./Audited.ts"

/** Why the role may not send the request, if it may not. */
export const problem = (
  role: ConsoleRole.Role,
  { route, url }: { readonly route: Audited.Route; readonly url: string }
): ApiErrors.ApiError | undefined =>
  role === "viewer" && (actionOf(route) === "calls.preview" || namesNumber(url)) ? refusal : undefined

/** Whether a filter is a number, or may be one: an external id can be a number, too. */
const namesNumber = (url: string): boolean =>
  [...new URLSearchParams(url.split("?").slice(1).join("?"))].some(([name, value]) =>
    name === "phone_number" || (name !== "cursor" && Masking.maskedForViewers(value) !== value)
  )

export const refusal = ApiErrors.insufficientRole("operator")
