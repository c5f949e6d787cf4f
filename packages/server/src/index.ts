/** The command line as a value, and the server's engine, for hosts that build their own server. */
export * as EngineLayer from "./serve/EngineLayer.ts"
export { outdial } from "./main.ts"
