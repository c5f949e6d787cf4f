/**
 * The channels of a call at Asterisk, and how their ids are made: that of the callee has the id of the call. Other ids have it at their end,
 * because Asterisk takes an id for used while a longer one that begins with it lives. For the same reason ids of calls must have one length,
 * as ULIDs have.
 */
import { Ids, type PhoneNumber } from "@outdial/core"
import { Hash, Schema } from "effect"

const kinds = ["amd", "bridge", "media", "transfer"] as const
/** What a call has beside the channel of its callee: the ear of the detection of machines, the bridge, the sound, the number that it is transferred to. */
export type Kind = typeof kinds[number]

export const idOf = (kind: Kind, callId: Ids.CallId): string => `${kind}-${callId}`

const isCallId = Schema.is(Ids.CallId)

/** The call of a channel or bridge, and what it is of it; none when it is not ours. */
export const subjectOf = (id: string): { readonly callId: Ids.CallId; readonly kind: Kind | "callee" } | undefined => {
  if (isCallId(id)) return { callId: id, kind: "callee" }
  for (const kind of kinds) {
    const callId = id.slice(kind.length + 1)
    if (id.startsWith(`${kind}-`) && isCallId(callId)) return { callId, kind }
  }
  return undefined
}

/**
 * The applications of all nodes that have a carrier of this name begin with it, so that a node knows those of the others: two carriers may use
 * one Asterisk. No dash: the dialplan ignores dashes in patterns.
 */
export const appPrefixOf = (carrier: string): string =>
  `outdial${(Hash.string(carrier) >>> 0).toString(16).padStart(8, "0")}`

/** Where calls go out: the template of the configuration, such as `PJSIP/{number}@trunk`. */
export interface Trunk {
  readonly technology: string
  readonly resource: string
  /** The dial string of a number. */
  readonly dialString: (number: PhoneNumber.PhoneNumber) => string
}

/** None when it cannot be read. */
export const trunkOf = (template: string): Trunk | undefined => {
  const [, technology, rest = ""] = /^([A-Za-z0-9]+)\/([^\s,&]+)$/.exec(template) ?? []
  const named = /^\{(?:number|digits)\}@([^@{}/]+)$/.exec(rest)?.[1] ??
    /^([^@{}/]+)\/.*\{(?:number|digits)\}/.exec(rest)?.[1]
  if (technology === undefined || named === undefined) return undefined
  return {
    technology,
    resource: named,
    dialString: (number) => {
      // Anything else in a dial string could name another endpoint. Numbers have no more, and this must not depend on it.
      const safe = `+${number.replaceAll(/\D/g, "")}`
      return template.replaceAll("{number}", safe).replaceAll("{digits}", safe.slice(1))
    }
  }
}
