/** A whole engine in memory for tests: as an Effect layer on Effect's test clock, or opened by `open` for any test runner. */
export * from "./test-engine/EffectTestEngine.ts"
export * from "./test-engine/PromiseTestEngine.ts"
