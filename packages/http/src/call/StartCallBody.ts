/**
 * Requests for calls, alone or as rows of a batch: the very fields of the domain under their wire names, so that what is
 * wrong is reported in wire names.
 */
import { Batch, Call, PreviewCall, Timestamp } from "@outdial/core"
import { Schema, SchemaTransformation } from "effect"
import { given, made, nullable } from "../edge/RequestFields.ts"

const { agentId, contact, metadata, phoneNumber, test, variables } = Call.StartCall.fields

/** What single calls and rows have in common. */
const fields = {
  phone_number: phoneNumber.annotate({
    description:
      "E.164. Spaces, dashes, dots and brackets are ignored; a leading 00 is read as +. Without a country as in the policy's `default_country`, if it has one"
  }),
  contact: nullable(Schema.optionalKey(Schema.Struct({
    name: nullable(contact.schema.fields.name),
    email: nullable(contact.schema.fields.email),
    external_id: nullable(contact.schema.fields.externalId),
    time_zone: nullable(contact.schema.fields.timeZone)
  }))),
  variables: nullable(variables),
  metadata: nullable(metadata),
  not_before: nullable(Schema.optionalKey(Timestamp.Timestamp)).annotate({
    description: "The call is not dialed before this"
  }),
  expires_at: nullable(Schema.optionalKey(Timestamp.Timestamp)).annotate({
    description: "A call that still waits then is `expired`; seven days after it may be dialed when not given"
  })
}

const Common = Schema.Struct(fields)
type CommonWire = ReturnType<typeof given<typeof Common.Type>>
type CommonRequest = Omit<Batch.BatchRow, "agentId">

const StartCallFields = Schema.Struct({
  agent_id: agentId.annotate({ description: "The agent that makes the call" }),
  ...fields,
  test: nullable(test)
})

/** A request to start one call (spec §4.1). */
export const StartCallBody = StartCallFields.pipe(
  Schema.decodeTo(
    made(Call.StartCall),
    SchemaTransformation.transform({
      decode: (wire): Call.StartCall => {
        const { agent_id, test, ...common } = given(wire)
        return { agentId: agent_id, ...fromWire(common), ...(test !== undefined && { test }) }
      },
      encode: ({ agentId, test, ...common }): typeof StartCallFields.Type => ({
        agent_id: agentId,
        ...toWire(common),
        ...(test !== undefined && { test })
      })
    })
  )
).annotate({ identifier: "StartCall" })

const PreviewCallFields = Schema.Struct({
  agent_id: nullable(PreviewCall.PreviewCall.fields.agentId),
  ...fields,
  test: nullable(test)
})

/** A request for a preview: one for a call may be sent as it is. */
export const PreviewCallWire = PreviewCallFields.pipe(
  Schema.decodeTo(
    made(PreviewCall.PreviewCall),
    SchemaTransformation.transform({
      decode: (wire): PreviewCall.PreviewCall => {
        const { agent_id, test, ...common } = given(wire)
        return {
          ...(agent_id !== undefined && { agentId: agent_id }),
          ...fromWire(common),
          ...(test !== undefined && { test })
        }
      },
      encode: ({ agentId, test, ...common }): typeof PreviewCallFields.Type => ({
        ...(agentId !== undefined && { agent_id: agentId }),
        ...toWire(common),
        ...(test !== undefined && { test })
      })
    })
  )
).annotate({ identifier: "PreviewCall" })

const BatchRowFields = Schema.Struct({
  agent_id: nullable(Batch.BatchRow.fields.agentId).annotate({ description: "In place of the batch's agent" }),
  ...fields
})

/** One row of a batch (spec §4.5). */
export const BatchRowWire = BatchRowFields.pipe(
  Schema.decodeTo(
    made(Batch.BatchRow),
    SchemaTransformation.transform({
      decode: (wire): Batch.BatchRow => {
        const { agent_id, ...common } = given(wire)
        return { ...(agent_id !== undefined && { agentId: agent_id }), ...fromWire(common) }
      },
      encode: ({ agentId, ...common }): typeof BatchRowFields.Type => ({
        ...(agentId !== undefined && { agent_id: agentId }),
        ...toWire(common)
      })
    })
  )
).annotate({ identifier: "BatchRow" })

const fromWire = ({ contact, expires_at, not_before, phone_number, ...same }: CommonWire): CommonRequest => ({
  phoneNumber: phone_number,
  ...(contact !== undefined && { contact: contactFromWire(given(contact)) }),
  ...(not_before !== undefined && { notBefore: not_before }),
  ...(expires_at !== undefined && { expiresAt: expires_at }),
  ...same
})

const toWire = ({ contact, expiresAt, notBefore, phoneNumber, ...same }: CommonRequest): CommonWire => ({
  phone_number: phoneNumber,
  ...(contact !== undefined && { contact: contactToWire(contact) }),
  ...(notBefore !== undefined && { not_before: notBefore }),
  ...(expiresAt !== undefined && { expires_at: expiresAt }),
  ...same
})

type ContactWire = ReturnType<typeof given<NonNullable<CommonWire["contact"]>>>

const contactFromWire = ({ external_id, time_zone, ...same }: ContactWire): Call.Contact => ({
  ...same,
  ...(external_id !== undefined && { externalId: external_id }),
  ...(time_zone !== undefined && { timeZone: time_zone })
})

const contactToWire = ({ externalId, timeZone, ...same }: Call.Contact): ContactWire => ({
  ...same,
  ...(externalId !== undefined && { external_id: externalId }),
  ...(timeZone !== undefined && { time_zone: timeZone })
})
