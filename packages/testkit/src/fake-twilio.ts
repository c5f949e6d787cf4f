/** A Twilio on this machine, for tests. Runs in real time, as Twilio does. Needs Node. */
export * as FakeTwilio from "./fake-twilio/FakeTwilio.ts"
