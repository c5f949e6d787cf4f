/** Twilio: a carrier over its API and its relay, and the check of its signatures. */
export { TwilioUnreachable } from "./twilio/TwilioApi.ts"
export * as TwilioAccount from "./twilio/TwilioAccount.ts"
export * as TwilioSignature from "./twilio/TwilioSignature.ts"
export * as TwilioTelephony from "./twilio/TwilioTelephony.ts"
