/**
 * The meaning of a field of the API, with an example, as an annotation of its key. The OpenAPI document and the
 * references are generated from these; they use the names on the wire.
 */
import { Schema, SchemaAST } from "effect"

const annotated = <S extends Schema.Top>(schema: S, annotations: Schema.Annotations.Key<unknown>): S["Rebuild"] =>
  schema.ast.encoding === undefined
    ? schema.annotateKey(annotations)
    // A field that is read from another form has them there. An example is JSON in any case.
    : Schema.flip(Schema.flip(schema).annotateKey(annotations)) as unknown as S["Rebuild"]

/** The field with its description and an example in JSON. */
export const field = <S extends Schema.Top>(schema: S, description: string, example: Schema.Json): S["Rebuild"] =>
  annotated(schema, { description, examples: [example] })

/** The same for a field that is absent from the example of the whole, where it would contradict other fields. */
export const apart = <S extends Schema.Top>(schema: S, description: string, example: Schema.Json): S["Rebuild"] =>
  annotated(schema, { description, examples: [example], apart: true })

/** The second schema, documented as the first. */
export const like = <S extends Schema.Top>(documented: Schema.Top, schema: S): S["Rebuild"] =>
  annotated(schema, SchemaAST.toEncoded(documented.ast).context?.annotations ?? {})
