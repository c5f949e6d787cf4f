/** Contract suites that every layer must pass, and an engine to test with. */
export * as Factories from "./Factories.ts"
export * as HttpContract from "./HttpContract.ts"
export * as StorageContract from "./StorageContract.ts"
export * as TestEngine from "./TestEngine.ts"
