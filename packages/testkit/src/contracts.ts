/** Contract suites that every layer must pass. They run on vitest, with `@effect/vitest`. */
export * as AudioLineContract from "./conversation/AudioLineContract.ts"
export * as HttpContract from "./http/HttpContract.ts"
export * as OutcomeSourceContract from "./outcome/OutcomeSourceContract.ts"
export * as RecordingsContract from "./recording/RecordingsContract.ts"
export * as StorageContract from "./engine/StorageContract.ts"
export * as TelephonyContract from "./telephony/TelephonyContract.ts"
export * as TextAgentContract from "./conversation/TextAgentContract.ts"
export * as TextLineContract from "./conversation/TextLineContract.ts"
