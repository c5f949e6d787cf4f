/** What the handlers of the console's API require: the engine, and the middleware of their endpoints. */
import type { Engine } from "@outdial/core"
import type { ErrorEnvelope, JsonBody, NoBody } from "@outdial/http"
import type { ConsoleAuthorization } from "./CurrentConsoleUser.ts"
import type { Roles } from "./Roles.ts"

export type HandlerServices = ConsoleAuthorization | Engine.Services | ErrorEnvelope | JsonBody | NoBody | Roles
