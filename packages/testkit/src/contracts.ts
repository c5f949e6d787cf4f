/** Contract suites that every layer must pass. They run on vitest, with `@effect/vitest`. */
export * as HttpContract from "./HttpContract.ts"
export * as OutcomeSourceContract from "./OutcomeSourceContract.ts"
export * as RecordingsContract from "./RecordingsContract.ts"
export * as StorageContract from "./StorageContract.ts"
export * as TelephonyContract from "./TelephonyContract.ts"
