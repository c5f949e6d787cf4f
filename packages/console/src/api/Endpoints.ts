/** What the endpoints of the console have in common. Responses have snake_case names, and instants are text. */
import { type Errors, FieldPath, Ids, Timestamp, Wire } from "@outdial/core"
import { Schema } from "effect"

export const { snakeKeys } = Wire

/** The parameter of every path in an account. */
export const inAccount = { account: Ids.AccountId }

/** An instant in ISO-8601. */
export const Instant = Timestamp.Timestamp

/** One problem of something that was checked, not of the request. */
export const Problem = Schema.Struct({
  /** JSON Pointer into what was checked. */
  path: Schema.String,
  message: Schema.String
})

/** A problem in the names of the wire. */
export const shownProblem = ({ message, path }: Errors.Problem): typeof Problem.Type => ({
  path: FieldPath.toPointer(FieldPath.wireNames(path)),
  message: FieldPath.wireMessage(message)
})

/** A list that has no pages. */
export const all = <S extends Schema.Top>(item: S) => Schema.Struct({ data: Schema.Array(item) })
