/** Port: the state of the carriers that all processes share. */
import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Carrier, CarrierPause } from "../domain/Carrier.ts"
import type { CarrierReason } from "../domain/CarrierReason.ts"
import type { CarrierName } from "../domain/Ids.ts"
import type { TakenSlots } from "../rules/dispatch/CarrierSlots.ts"
import type { StorageError } from "../storage/StorageError.ts"

export type { TakenSlots }

export interface TakeSlotsOptions {
  readonly carrier: CarrierName
  /** Of this process's configuration. */
  readonly callsPerSecond: number
  readonly now: DateTime.Utc
}

export interface SlotsResult {
  /** How many slots were taken, at `now`; 0 when none is free. */
  readonly taken: number
  /** From when on further slots can be taken. */
  readonly freeAt: DateTime.Utc
}

export interface PauseOptions {
  readonly carrier: CarrierName
  readonly now: DateTime.Utc
  readonly by: CarrierPause["by"]
  /** Of a fault. */
  readonly reason?: CarrierReason
}

export class CarrierStore extends Context.Service<CarrierStore, {
  /**
   * Takes `CarrierSlots.most` slots of the carrier if it has free ones by `CarrierSlots.freeAt`, otherwise none. Takes no longer than a
   * statement, and waits for no claim. A slot that is not returned is used up by time.
   */
  readonly takeSlots: (options: TakeSlotsOptions) => Effect.Effect<SlotsResult, StorageError>
  /** Returns so many of the slots that were taken at this instant, unless others have been taken since. */
  readonly returnSlots: (options: {
    readonly carrier: CarrierName
    readonly takenAt: DateTime.Utc
    readonly unused: number
  }) => Effect.Effect<void, StorageError>
  /** Every carrier that was ever paused or has taken slots, by name. */
  readonly list: Effect.Effect<ReadonlyArray<Carrier>, StorageError>
  /**
   * Pauses dialing over the carrier. An operator's pause replaces one for a fault; any other pause is left as it is. Returns whether it
   * was set. After it returns, no claim takes a call for the carrier, and no submission that begins then sends one.
   */
  readonly pause: (options: PauseOptions) => Effect.Effect<boolean, StorageError>
  /** Ends the pause of the carrier; with `by`, only one of this kind. Returns whether there was one. */
  readonly resume: (options: {
    readonly carrier: CarrierName
    readonly by?: CarrierPause["by"]
  }) => Effect.Effect<boolean, StorageError>
  /**
   * Whether the carrier is to be checked now: it is paused for a fault, and the last check was `every` ago. Returns `true` to one of
   * several callers.
   */
  readonly claimCheck: (options: {
    readonly carrier: CarrierName
    readonly now: DateTime.Utc
    readonly every: Duration.Duration
  }) => Effect.Effect<boolean, StorageError>
}>()("@outdial/core/telephony/CarrierStore") {}
