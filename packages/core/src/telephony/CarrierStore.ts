/** Port: the state of the carriers that all processes share. */
import { Context, type DateTime, type Effect } from "effect"
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
}>()("@outdial/core/telephony/CarrierStore") {}
