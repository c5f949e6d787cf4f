/** `outdial secrets …` */
import { KeyRotation, SecretBox } from "@outdial/core"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect, Layer, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Config from "../../config/Config.ts"
import * as StorageLayer from "../../config/StorageLayer.ts"
import * as Admin from "../Admin.ts"
import * as SecretKeys from "../../config/SecretKeys.ts"
import { UsageError } from "../../config/UsageError.ts"

const layer = Layer.unwrap(Effect.gen(function*() {
  const keys = yield* SecretKeys.required(yield* Admin.readable(Config.secretKeys))
  return KeyRotation.KeyRotation.layer.pipe(
    Layer.provide([SecretBox.SecretBox.layer(keys), StorageLayer.layerFound(yield* Admin.location), NodeCrypto.layer])
  )
}))

const reencrypt = Command.make(
  "reencrypt",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const secrets = yield* KeyRotation.KeyRotation
    const reencrypted = yield* SecretKeys.explained(secrets.reencrypt)
    yield* Admin.print(json, { reencrypted }, [
      `${reencrypted} endpoints had secrets under previous keys; all are under OUTDIAL_SECRET_KEY now`
    ])
  })
).pipe(
  Command.withDescription("Seal all webhook secrets under the current key. Safe to repeat, and while servers run")
)

const reissue = Command.make(
  "reissue",
  {
    lostKey: Flag.Boolean("lost-key").pipe(
      Flag.withDescription("Confirm that the key of the secrets that cannot be opened is lost for good"),
      Flag.withDefault(false)
    ),
    json: Admin.json
  },
  Effect.fnUntraced(function*({ json, lostKey }) {
    if (!lostKey) {
      return yield* new UsageError({
        message: "Receivers need the new secrets. If the key of the old secrets is lost for good, add --lost-key"
      })
    }
    const secrets = yield* KeyRotation.KeyRotation
    // Printed one by one: a secret that was stored and not printed would be lost.
    const endpoints = yield* SecretKeys.explained(secrets.reissueLost(({ accountId, secret, url }) => {
      const text = Redacted.value(secret)
      return Admin.print(json, { account_id: accountId, url, secret: text }, [`${accountId} ${url} ${text}`])
    }))
    if (json) return
    yield* Console.log(
      endpoints === 0
        ? "All secrets can be opened. No new secret was issued"
        : `${endpoints} endpoints had secrets under keys that are not given. Each new secret above is shown once: give it to ` +
          `the receiver at that address`
    )
  })
).pipe(Command.withDescription("Replace the webhook secrets whose key is lost, and print each new secret once"))

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Manage webhook secrets and the key that seals them"),
  Command.withSubcommands([reencrypt, reissue]),
  Command.provide(layer)
)
