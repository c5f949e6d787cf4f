/** The command line as a value, and the engine as the server runs it, for hosts that build a server of their own. */
export * as EngineLayer from "./serve/EngineLayer.ts"
export { outdial } from "./main.ts"
