/** Schemas of the parts of requests. */
import { FieldDocs, Problems, Wire } from "@outdial/core"
import { Schema, SchemaAST, SchemaGetter, String as Str } from "effect"

interface Fields {
  readonly [name: PropertyKey]: Schema.Top
}

/** A codec of a request from wire names to TypeScript names. */
type Read<F extends Fields> = Schema.Codec<Schema.Struct<F>["Type"], SnakeForm<Schema.Struct<F>["Encoded"]>>

type SnakeForm<E> = {
  readonly [K in keyof E as K extends string ? Wire.Snake<K> : never]: E[K] | (object extends Pick<E, K> ? null : never)
}

/** The request as a body in wire names. An optional field may also be `null`, because many JSON writers cannot omit a field. */
export const body = <const F extends Fields>(identifier: string, { fields }: { readonly fields: F }): Read<F> =>
  reading(nullable(fields), { identifier }) as unknown as Read<F>

/** The query parameters of a path; others are rejected. */
export const queryOf = <const F extends Fields>(fields: F): Read<F> => reading(fields) as unknown as Read<F>

/** Fields are read before they are renamed, so that problems are reported in wire names. */
const reading = (fields: Fields, annotations = {}) => {
  const names = Object.keys(fields).map((name) => [name, Str.camelToSnake(name)] as const)
  const wire = Object.fromEntries(Object.entries(fields).map(([name, field]) => [Str.camelToSnake(name), field]))
  return Schema.Struct(wire).annotate(annotations).pipe(
    Schema.decodeTo(Schema.declare((_): _ is Named => true), {
      decode: SchemaGetter.transform(renaming(new Map(names.map(([name, wireName]) => [wireName, name])))),
      encode: SchemaGetter.transform(renaming(new Map(names)))
    })
  )
}

interface Named {
  readonly [name: string]: unknown
}

/** The object with renamed fields, without `null`s. */
const renaming = (names: ReadonlyMap<string, string>) => (value: Named): Named => {
  const renamed: { [name: string]: unknown } = {}
  for (const [name, field] of Object.entries(value)) {
    if (field !== null) renamed[names.get(name) ?? name] = field
  }
  return renamed
}

/** The fields; optional ones may be `null`. */
const nullable = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (!SchemaAST.isOptional(field.ast)) return [name, field]
      // All optional fields of requests are made by `optionalKey`.
      const { schema } = field as Schema.optionalKey<Schema.Top>
      const inner = isStruct(schema) ? reading(nullable(schema.fields)) : schema
      const message = Problems.kindOf(schema.ast)
      return [name, FieldDocs.like(field, Schema.optionalKey(Schema.NullOr(inner).annotate({ message })))]
    })
  )

const isStruct = (schema: Schema.Top): schema is Schema.Struct<Fields> => "fields" in schema

/** For paths without query parameters: an unknown filter is rejected, not ignored. */
export const noQuery = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: "is not a known query parameter of this path; it takes none" })
)

/** The literals, with a message that lists them. */
export const oneOf = <const Literals extends ReadonlyArray<string>>(
  { literals }: { readonly literals: Literals }
): Schema.Literals<Literals> => Schema.Literals(literals).annotate({ message: `must be one of ${literals.join(", ")}` })

/** Any of the literals, as a parameter that may be given several times. */
export const someOf = <const Literals extends ReadonlyArray<string>>(
  literals: { readonly literals: Literals },
  description: string
) => Schema.optionalKey(Schema.Array(oneOf(literals)).annotate({ description }))

/** `true` or `false`. */
export const flag = Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" }).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text) => text === "true"),
    encode: SchemaGetter.transform((value): "true" | "false" => value ? "true" : "false")
  })
)
