/** The running server that a command asks over HTTP: the one of the environment, or the one of `npm start`. */
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import * as Admin from "../Admin.ts"
import * as Config from "../../config/Config.ts"
import { UsageError } from "../../config/UsageError.ts"
import * as DevFolder from "../../dev/DevFolder.ts"

export interface Server {
  readonly url: string
  readonly apiKey: string
}

export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("The server's address, such as https://calls.example.com; default: OUTDIAL_URL"),
    Flag.optional
  ),
  data: Flag.String("data").pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription("The folder of npm start, which names the server and its key if no address is given"),
    Flag.withDefault(".outdial")
  )
}

export const find = Effect.fnUntraced(function*(
  { data, url: flag }: { readonly data: string; readonly url: Option.Option<string> }
) {
  const { apiKey, url: variable } = yield* Admin.readable(Config.client)
  const named = Option.orElse(flag, () => variable)
  if (Option.isSome(named)) {
    if (Option.isNone(apiKey)) {
      return yield* new UsageError({ message: `Set OUTDIAL_API_KEY to a key for ${named.value}` })
    }
    return { url: named.value, apiKey: Redacted.value(apiKey.value) }
  }
  const saved = yield* DevFolder.readState(data)
  if (Option.isNone(saved) || saved.value.url === undefined || saved.value.apiKey === undefined) {
    return yield* new UsageError({
      message:
        `There is no server in ${data}. Run npm start in another terminal, or set OUTDIAL_URL and OUTDIAL_API_KEY`
    })
  }
  return { url: saved.value.url, apiKey: saved.value.apiKey }
})
