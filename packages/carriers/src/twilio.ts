/** Twilio: what its callbacks must be signed with. */
export * as TwilioSignature from "./twilio/TwilioSignature.ts"
