/** An engine to test with, under any test runner; the contract suites are in `@outdial/testkit/contracts`. */
export * as Factories from "./Factories.ts"
export * as AudioCall from "./test-engine/AudioCall.ts"
export * as TestEngine from "./TestEngine.ts"
export * as Tones from "./voice/Tones.ts"
