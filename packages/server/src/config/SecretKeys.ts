/** The operator's keys as commands need them, and what is told when one is missing. */
import type { SecretBox, Storage } from "@outdial/core"
import { type Config as EffectConfig, Effect, Option } from "effect"
import type * as Config from "./Config.ts"
import { UsageError } from "./UsageError.ts"

/** The keys; without a current one nothing can be sealed. */
export const required = (
  { secretKey, secretKeyPrevious }: EffectConfig.Success<typeof Config.secretKeys>
): Effect.Effect<SecretBox.SecretKeys, UsageError> =>
  Option.isSome(secretKey)
    ? Effect.succeed({ key: secretKey.value, previous: secretKeyPrevious })
    : Effect.fail(
      new UsageError({ message: "OUTDIAL_SECRET_KEY is not set; make one with: openssl rand -base64 32" })
    )

/** Says of a secret that cannot be opened which variable is wrong. */
export const explained = <A>(self: Effect.Effect<A, SecretBox.SecretBoxError | Storage.StorageError>) =>
  Effect.catchTag(self, "SecretBoxError", ({ keyId, message, reason }) =>
    Effect.fail(
      new UsageError({
        message: reason === "unknown_key"
          ? `A webhook secret is sealed under another key (${keyId}) than OUTDIAL_SECRET_KEY; add that key to ` +
            `OUTDIAL_SECRET_KEY_PREVIOUS, and run: outdial secrets reencrypt. If that key is lost for good, make new ` +
            `secrets, which receivers must be given: outdial secrets reissue --lost-key`
          : message
      })
    ))
