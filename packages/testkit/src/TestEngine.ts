/** A whole engine in memory for tests: as an Effect layer on Effect's test clock, or opened by `open` for any test runner. */
export * from "./testEngine/EffectEngine.ts"
export * from "./testEngine/HostEngine.ts"
