/** Contract suites that every layer must pass. They run on vitest, with `@effect/vitest`. */
export * as HttpContract from "./HttpContract.ts"
export * as StorageContract from "./StorageContract.ts"
