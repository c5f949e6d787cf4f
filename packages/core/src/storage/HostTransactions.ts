/**
 * Port: runs work of the engine inside a transaction that the host has opened on a client of its own. Guarantees that the work is
 * committed or rolled back together with the host's rows. Only storage on a database that the host's client can reach has it.
 */
import { Context, Effect, Schema } from "effect"

/** A client of the host's with an open transaction: a `Client` of `pg`, or any other client behind a function. */
export interface HostClient {
  /**
   * Runs one statement on the connection with the open transaction. Placeholders are `$1`, `$2` and so on, each once
   * and in this order; every value is a string. Resolves with the rows, or with an object that has them as `rows`.
   * Statements run in the order of the calls: after an abort it is called while a statement still runs.
   */
  readonly query: (text: string, values: Array<string>) => PromiseLike<unknown>
}

/** Work could not be done inside the host's transaction. */
export class HostTransactionError extends Schema.TaggedError<HostTransactionError>()("HostTransactionError", {
  code: Schema.Literals(["not_in_transaction", "transaction_failed", "transactions_unsupported"]),
  /** The error that the host's client rejected with. */
  cause: Schema.Defect()
}) {
  override get message(): string {
    switch (this.code) {
      case "not_in_transaction":
        return "The client has no open transaction: begin one, and pass the client that holds it, not its pool"
      case "transaction_failed":
        return "A statement failed on your client; the cause is its error. Nothing of this request was kept: " +
          "roll your transaction back, and repeat all of it after a deadlock or a serialization failure"
      case "transactions_unsupported":
        return "This storage cannot join a transaction of yours. Open the engine with postgres({ url }) of @outdial/sql: " +
          "no other client reaches storage in memory or in an embedded database"
      default:
        return this.code satisfies never
    }
  }
}

export interface HostTransactions {
  /** Works on one client one after another. Failed work is rolled back, and leaves the host's transaction usable. */
  readonly within: <A, E, R>(
    client: HostClient,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | HostTransactionError, R>
}

/** Storage without it refuses. */
export const HostTransactions = Context.Reference<HostTransactions>("@outdial/core/storage/HostTransactions", {
  defaultValue: () => ({
    within: () => Effect.fail(new HostTransactionError({ code: "transactions_unsupported", cause: undefined }))
  })
})
