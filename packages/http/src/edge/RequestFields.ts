/** How the parts of requests are read, beyond what the domain says of each field. */
import { Problems } from "@outdial/core"
import { Option, Predicate, Schema, SchemaGetter } from "effect"

/**
 * What a transformation makes of what was checked before it, which is not checked once more. Of a schema that only requests use:
 * writing one checks it where reading does.
 */
export const made = <S extends Schema.Top>(_: S): Schema.declare<S["Type"]> =>
  Schema.declare<S["Type"]>((_): _ is S["Type"] => true)

/**
 * The optional field, which may be sent as `null`: many JSON writers have no other way to leave a field out. For what a
 * transformation is made of, which takes the fields by `given`.
 */
export const nullable = <S extends Schema.Top>(field: Schema.optionalKey<S>) =>
  Schema.optionalKey(Schema.NullOr(field.schema).annotate({ message: Problems.kindOf(field.schema.ast) }))

/** The fields without those that are `null`. */
export const given = <A extends object>(fields: A): { readonly [K in keyof A]: Exclude<A[K], null> } =>
  // What the type says: those that may be null are optional.
  (Object.values(fields).includes(null)
    ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
    : fields) as { readonly [K in keyof A]: Exclude<A[K], null> }

/** The optional field, with `null` read as absent. */
export const orNull = <S extends Schema.Top>(field: Schema.optionalKey<S>) =>
  nullable(field).pipe(
    Schema.decodeTo(Schema.optionalKey(made(field.schema)), {
      decode: SchemaGetter.transformOptional(Option.filter(Predicate.isNotNull)),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

/** The query parameters that a path takes; others are refused. */
export const queryOf = <const F extends Schema.Struct.Fields>(fields: F) => Schema.Struct(fields)

/** A path that takes no query parameters says so, rather than ignoring a filter that it does not know. */
export const noQuery = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: "is not a known query parameter of this path; it takes none" })
)

/** The literals, with words that name them all. */
export const oneOf = <const Literals extends ReadonlyArray<string>>(
  { literals }: { readonly literals: Literals }
): Schema.Literals<Literals> => Schema.Literals(literals).annotate({ message: `must be one of ${literals.join(", ")}` })

/** `true` or `false`. */
export const flag = Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" }).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text) => text === "true"),
    encode: SchemaGetter.transform((value): "true" | "false" => value ? "true" : "false")
  })
)
