/**
 * What a field of the interface means, with an example, as an annotation of its key. The OpenAPI document and the references
 * are made from these; the names in them are those of the wire.
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

/** The same for a field that the example of the whole leaves out, because it would contradict the rest. */
export const apart = <S extends Schema.Top>(schema: S, description: string, example: Schema.Json): S["Rebuild"] =>
  annotated(schema, { description, examples: [example], apart: true })

/** The second schema, documented as the first. */
export const like = <S extends Schema.Top>(documented: Schema.Top, schema: S): S["Rebuild"] =>
  annotated(schema, SchemaAST.toEncoded(documented.ast).context?.annotations ?? {})
