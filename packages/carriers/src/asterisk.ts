/** Asterisk: a carrier over a PBX of your own and its SIP trunk, the files that it needs, and a check of it. */
export { AsteriskUnreachable } from "./asterisk/AriApi.ts"
export * as AsteriskFiles from "./asterisk/AsteriskFiles.ts"
export * as AsteriskPbx from "./asterisk/AsteriskPbx.ts"
export * as AsteriskTelephony from "./asterisk/AsteriskTelephony.ts"
