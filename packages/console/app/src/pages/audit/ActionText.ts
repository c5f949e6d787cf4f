/** An action of the audit log as a short sentence. */
import type { AuditEntry } from "../../data/Wire.ts"

/** The sentence of the action, by what the change did with a pause where the entry has it; undefined for an action without a text. */
export const actionText = (
  { action, details }: Pick<AuditEntry, "action" | "details">,
  actions: Readonly<Record<string, string>>
): string | undefined => {
  const { paused } = details
  const sentence = typeof paused === "boolean" ? actions[`${action}.${paused ? "paused" : "resumed"}`] : undefined
  return sentence ?? actions[action]
}
