/** The result of one vector: passed, failed with a reason, or skipped because this runtime's time zone data is too old. */
export type Verdict =
  | { readonly _tag: "passed" }
  | { readonly _tag: "skipped" }
  | { readonly _tag: "failed"; readonly why: string }

export const passed: Verdict = { _tag: "passed" }

export const skipped: Verdict = { _tag: "skipped" }

export const failed = (why: string): Verdict => ({ _tag: "failed", why })
