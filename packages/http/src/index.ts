/** Outdial over HTTP: the `/v1` contract, its handlers, and the web-standard handler. */
export { Api } from "./Api.ts"
export * as Client from "./Client.ts"
export type { Authenticate, HostAccess } from "./HostAccess.ts"
export * as RequestId from "./RequestId.ts"
export * as Routes from "./Routes.ts"
export { WebHandler } from "./WebHandler.ts"
export * as WireErrors from "./WireErrors.ts"
