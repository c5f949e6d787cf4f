/** A finding of `outdial doctor`. */

export interface Finding {
  readonly check: string
  /** `failed` breaks a guarantee; `warning` is for the operator to judge. */
  readonly level: "ok" | "warning" | "failed"
  /** The fact, and what to do about it. */
  readonly message: string
}

const make = (level: Finding["level"]) => (check: string, message: string): Finding => ({ check, level, message })

export const ok = make("ok")
export const warning = make("warning")
export const failed = make("failed")
