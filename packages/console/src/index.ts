/** Outdial's console: the web page for operators, its endpoints and the handler that serves both. */
export * as Console from "./mount/ConsoleHandler.ts"
export type { AuthenticateUser, HostUser } from "./access/HostUsers.ts"
export * as SecurityHeaders from "./pages/SecurityHeaders.ts"
export { ConsoleAuthorization, CurrentConsoleUser } from "./access/CurrentConsoleUser.ts"
export * as Roles from "./access/Roles.ts"
export { ConsoleApi } from "./api/ConsoleApi.ts"
