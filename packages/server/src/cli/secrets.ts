/** `outdial secrets reencrypt` */
import { SecretBox, WebhookSecrets } from "@outdial/core"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Config from "../Config.ts"
import * as Store from "../Store.ts"
import * as Admin from "./Admin.ts"
import * as SecretKeys from "./SecretKeys.ts"

const layer = Layer.unwrap(Effect.gen(function*() {
  const keys = yield* SecretKeys.required(yield* Admin.readable(Config.secretKeys))
  return WebhookSecrets.WebhookSecrets.layer.pipe(
    Layer.provide([SecretBox.SecretBox.layer(keys), Store.layer(yield* Admin.place)])
  )
}))

const reencrypt = Command.make(
  "reencrypt",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const secrets = yield* WebhookSecrets.WebhookSecrets
    const reencrypted = yield* SecretKeys.explained(secrets.reencrypt)
    yield* Admin.print(json, { reencrypted }, [
      `${reencrypted} endpoints had secrets under previous keys; all are under OUTDIAL_SECRET_KEY now`
    ])
  })
).pipe(Command.withDescription("Seal webhook secrets under the current key; safe to repeat and while servers run"))

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Manage the keys that secrets are sealed under"),
  Command.withSubcommands([reencrypt]),
  Command.provide(layer)
)
