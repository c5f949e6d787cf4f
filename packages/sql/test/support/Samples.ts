/** Random rows, the same in every run, for tests that compare a statement with the rule that it restates. */
import { Arbitrary, Schema } from "effect"

export const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

export const samples = <S extends Schema.Constraint>(schema: S, count: number) =>
  Arbitrary.sampleEffect(Arbitrary.schema(schema), { count, seed: "rules" })
