/** A Telnyx on this machine, for tests. Runs in real time, as Telnyx does. Needs Node. */
export * as FakeTelnyx from "./fake-telnyx/FakeTelnyx.ts"
