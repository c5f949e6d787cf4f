/** What `outdial doctor` finds. */

export interface Finding {
  readonly check: string
  /** `failed` keeps the deployment from its promises; `warning` is for its operator to judge. */
  readonly level: "ok" | "warning" | "failed"
  /** What is the case, and where it is not well what to do. */
  readonly message: string
}

const make = (level: Finding["level"]) => (check: string, message: string): Finding => ({ check, level, message })

export const ok = make("ok")
export const warning = make("warning")
export const failed = make("failed")
