/** The operator's secret keys, and the errors if one is missing. */
import type { SecretBox, Storage } from "@outdial/core"
import { type Config as EffectConfig, Effect, Option } from "effect"
import type * as Config from "./Config.ts"
import { UsageError } from "./UsageError.ts"

/** The keys. Fails without a current key, because nothing could be sealed. */
export const required = (
  { secretKey, secretKeyPrevious }: EffectConfig.Success<typeof Config.secretKeys>
): Effect.Effect<SecretBox.SecretKeys, UsageError> =>
  Option.isSome(secretKey)
    ? Effect.succeed({ key: secretKey.value, previous: secretKeyPrevious })
    : Effect.fail(
      new UsageError({ message: "OUTDIAL_SECRET_KEY is not set; make one with: openssl rand -base64 32" })
    )

/** Adds the variable to set to the error of a secret that cannot be opened. */
export const explained = <A>(self: Effect.Effect<A, SecretBox.SecretBoxError | Storage.StorageError>) =>
  Effect.catchTag(self, "SecretBoxError", ({ keyId, message, reason }) =>
    Effect.fail(
      new UsageError({
        message: reason === "unknown_key"
          ? `A webhook secret is sealed under another key (${keyId}) than OUTDIAL_SECRET_KEY; add that key to ` +
            `OUTDIAL_SECRET_KEY_PREVIOUS, and run: outdial secrets reencrypt. If that key is lost for good, issue new ` +
            `secrets and give them to the receivers: outdial secrets reissue --lost-key`
          : message
      })
    ))
