/** Telnyx: a carrier over its Call Control API and its relay, and the check of its signatures. */
export { TelnyxUnreachable } from "./telnyx/TelnyxApi.ts"
export * as TelnyxAccount from "./telnyx/TelnyxAccount.ts"
export * as TelnyxSignature from "./telnyx/TelnyxSignature.ts"
export * as TelnyxTelephony from "./telnyx/TelnyxTelephony.ts"
