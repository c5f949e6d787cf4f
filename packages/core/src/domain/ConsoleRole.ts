/** What users of the console may do. */
import { Schema } from "effect"

/** A viewer reads, with masked numbers and without scripts; an operator also works with calls; an admin may do everything. */
export const Role = Schema.Literals(["viewer", "operator", "admin"])
export type Role = typeof Role.Type

/** Whether a user with the role may do what needs `minimum`. */
export const isAtLeast = (role: Role, minimum: Role): boolean =>
  Role.literals.indexOf(role) >= Role.literals.indexOf(minimum)
