/** The JSON of the console's API as types, for its page. Imported by `import type` alone, so that the page contains nothing of the server. */
import type { Wire } from "@outdial/core"
import type { DateTime } from "effect"
import type * as Access from "../access/AccessApi.ts"
import type * as Accounts from "./AccountsApi.ts"
import type * as Agents from "./AgentsApi.ts"
import type * as Batches from "./BatchesApi.ts"
import type * as Calls from "./CallsApi.ts"
import type * as DoNotCall from "./DoNotCallApi.ts"
import type * as Events from "./EventsApi.ts"
import type * as Keys from "./KeysApi.ts"
import type * as Live from "./LiveApi.ts"
import type * as Overviews from "./OverviewApi.ts"
import type * as Policies from "./PolicyApi.ts"
import type * as Rehearsals from "./RehearsalsApi.ts"
import type * as Switches from "./SwitchesApi.ts"
import type * as Talks from "./TalksApi.ts"
import type * as Usages from "./UsageApi.ts"

/** A value as JSON has it: instants are text, and ids are plain text. */
export type Json<T> = T extends DateTime.DateTime ? string
  : T extends string ? (string extends T ? string : T extends string & { readonly [key: string]: unknown } ? string : T)
  : T extends number | boolean | null | undefined ? T
  : T extends ReadonlyArray<infer Item> ? ReadonlyArray<Json<Item>>
  : T extends object ? { readonly [Key in keyof T]: Json<T[Key]> }
  : T

type JsonOf<S extends { readonly Encoded: unknown }> = Json<S["Encoded"]>

// Of `/v1`, for the paths below `accounts/:account/v1`.
export type Call = JsonOf<typeof Wire.CallWire>
export type Contact = JsonOf<typeof Wire.ContactWire>
export type Outcome = JsonOf<typeof Wire.OutcomeWire>
export type Batch = JsonOf<typeof Wire.BatchWire>
export type RejectedRow = JsonOf<typeof Wire.RejectedRowWire>
export type Explanation = JsonOf<typeof Wire.ExplanationWire>
export type Transcript = JsonOf<typeof Wire.TranscriptWire>
export type Turn = JsonOf<typeof Wire.NumberedTurnWire>
export type DoNotCallEntry = JsonOf<typeof Wire.DoNotCallEntryWire>
export type Webhook = JsonOf<typeof Wire.WebhookWire>
export type WebhookTest = JsonOf<typeof Wire.WebhookTestWire>

export type Overview = JsonOf<typeof Overviews.Overview>
export type Timeline = JsonOf<typeof Calls.Timeline>
export type TimelineItem = JsonOf<typeof Calls.TimelineItem>
export type Paused = JsonOf<typeof Switches.Paused>
export type Redelivery = JsonOf<typeof Events.Redelivery>
export type Recovery = JsonOf<typeof Events.Recovery>
export type AccountPolicy = JsonOf<typeof Policies.AccountPolicy>
/** A policy as a file has it. */
export type Policy = AccountPolicy["defaults"]
export type PolicyWarning = JsonOf<typeof Policies.Warning>
export type PolicyEffect = JsonOf<typeof Policies.PolicyEffect>
export type PolicyPreview = JsonOf<typeof Policies.PolicyPreview>
export type Preset = JsonOf<typeof Policies.Preset>
export type Presets = JsonOf<typeof Policies.Presets>
export type BatchCheck = JsonOf<typeof Batches.BatchCheck>
export type AgentContent = JsonOf<typeof Agents.AgentContent>
export type AgentVersion = JsonOf<typeof Agents.AgentVersion>
export type ListedVersion = JsonOf<typeof Agents.ListedVersion>
export type AgentCheck = JsonOf<typeof Agents.AgentCheck>
export type Talk = JsonOf<typeof Talks.Talk>
export type Persona = JsonOf<typeof Rehearsals.ListedPersona>
export type RehearsalReport = JsonOf<typeof Rehearsals.Report>
export type UnusedLink = JsonOf<typeof Access.LinkList>["data"][number]
export type NewLink = JsonOf<typeof Access.NewLink>
export type Key = JsonOf<typeof Keys.Key>
export type NewKey = JsonOf<typeof Keys.NewKey>
export type Usage = JsonOf<typeof Usages.Usage>
export type Account = JsonOf<typeof Accounts.ListedAccount>
export type AccountList = JsonOf<typeof Accounts.AccountList>
export type Imported = JsonOf<typeof DoNotCall.Imported>
export type LiveTopic = Live.Topic
export type LiveChange = JsonOf<typeof Live.Changed>

/** The data of an event of `GET talks/:id/stream`; the name of the event is `type`. */
export type TalkEvent = JsonOf<typeof Talks.TalkEvent>
