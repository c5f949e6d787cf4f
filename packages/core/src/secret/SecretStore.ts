/** Sealed secrets, for operators who change the key. */
import type { Effect, Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface Sealing {
  /** Endpoints of all accounts with a secret under any other key, by account id, those behind `after`. For operators. */
  readonly listSealedOtherwise: (options: {
    readonly keyIds: ReadonlyArray<string>
    readonly after: Option.Option<AccountId>
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StorageError>
  /** Writes the same secrets under another key, if they are still those of `from`; answers whether they were. */
  readonly resealSecrets: (options: {
    readonly from: WebhookEndpoint
    readonly secret: SealedSecret
    readonly previousSecrets: WebhookEndpoint["previousSecrets"]
  }) => Effect.Effect<boolean, StorageError>
}
