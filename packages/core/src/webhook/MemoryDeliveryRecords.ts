/** Deliveries as their owner may read them. */
import type { EventRecord } from "../domain/Event.ts"
import type { Delivery, Tables } from "../storage/MemoryTables.ts"
import type { DeliveryRecord, DeliveryState } from "../domain/Delivery.ts"

/** A delivery that waits is held while its endpoint is disabled. */
export const stateOf = ({ webhook }: Tables, { state }: Delivery): DeliveryState =>
  state === "pending" && webhook?.enabled === false ? "held" : state

/** The delivery to the webhook endpoint, as its owner may read it. */
export const toRecord =
  (tables: Tables, delivery: Delivery) => ({ batchId, callId, createdAt, type }: EventRecord): DeliveryRecord => {
    const state = stateOf(tables, delivery)
    return {
      id: delivery.id,
      eventId: delivery.eventId,
      ...(callId !== undefined && { callId }),
      ...(batchId !== undefined && { batchId }),
      type,
      state,
      createdAt,
      ...(state === "pending" && { nextAttemptAt: delivery.dueAt }),
      attempts: delivery.log
    }
  }
