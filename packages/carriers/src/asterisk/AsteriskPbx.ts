/** What an Asterisk has of what calls need. Rings no phone: the dialplan is asked on a channel that is created and never dialed. */
import { PhoneNumber } from "@outdial/core"
import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { FetchHttpClient } from "effect/http"
import * as AriApi from "./AriApi.ts"
import { contexts } from "./AsteriskFiles.ts"
import type { AsteriskOptions } from "./AsteriskTelephony.ts"
import * as Channels from "./Channels.ts"
import * as EventSocket from "./EventSocket.ts"

export interface AsteriskPbx {
  /** Such as `22.10.1`. */
  readonly version: string
  /** Whether that is one of those that calls were tested with; none when the version is no release. */
  readonly isSupported: boolean | undefined
  /** Names of modules that do not run. */
  readonly missingModules: ReadonlyArray<string>
  /** `online`, `offline`, or `unknown` where Asterisk does not ask; none when it has no such endpoint. */
  readonly endpoint: string | undefined
  /** What could be asked on a channel; none when none could be created. */
  readonly dialplan: {
    /** Contexts that it does not have. */
    readonly missingContexts: ReadonlyArray<string>
    /** Whether the dialplan learns when a call was answered. */
    readonly hasCdr: boolean
  } | undefined
}

/** What the adapter and its dialplan use. */
const modules = [
  "app_stasis.so",
  "chan_pjsip.so",
  "chan_websocket.so",
  "func_callerid.so",
  "func_cdr.so",
  "func_channel.so",
  "func_env.so",
  "func_hangupcause.so",
  "func_logic.so",
  "func_strings.so",
  "func_timeout.so",
  "res_ari_applications.so",
  "res_ari_asterisk.so",
  "res_ari_bridges.so",
  "res_ari_channels.so",
  "res_ari_endpoints.so",
  "res_ari_events.so",
  "res_ari_recordings.so",
  "res_pjsip_header_funcs.so"
]

/** The first release with all that is used, and with the right causes for refusals. */
const oldest = [22, 10, 1] as const

const isSupported = (version: string): boolean | undefined => {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  if (parts === undefined) return undefined
  const at = parts.findIndex((part, index) => part !== oldest[index])
  return at === -1 || (parts[at] ?? 0) > (oldest[at] ?? 0)
}

/** A number of films. It is not dialed. */
const nobody = PhoneNumber.PhoneNumber.make("+12025550100")

/** The state of the Asterisk. */
export const get = (
  options: Pick<AsteriskOptions, "ariUrl" | "detectsMachines" | "endpoint" | "mediaUrl" | "password" | "user">
): Effect.Effect<AsteriskPbx, AriApi.AsteriskUnreachable> =>
  ask(options).pipe(
    Effect.scoped,
    Effect.provide([FetchHttpClient.layer, SecureRandom.layerWebCrypto])
  )

const ask = Effect.fnUntraced(function*(options: Parameters<typeof get>[0]) {
  const { detectsMachines = false, mediaUrl } = options
  const api = yield* AriApi.make(options)
  const version = yield* api.version
  const needed = [
    ...modules,
    ...detectsMachines ? ["app_amd.so", "res_stasis_snoop.so"] : [],
    ...mediaUrl === undefined ? [] : ["res_websocket_client.so"]
  ]
  const running = yield* Effect.forEach(needed, api.hasModule)
  const trunk = Channels.trunkOf(options.endpoint)
  const endpoint = trunk === undefined
    ? undefined
    : Option.getOrUndefined(yield* api.endpoint(trunk.technology, trunk.resource))
  const dialplan = trunk === undefined || endpoint === undefined
    ? undefined
    : yield* Effect.option(askDialplan(api, { ...options, trunk, detectsMachines }))
  return {
    version,
    isSupported: isSupported(version),
    missingModules: needed.filter((_, index) => running[index] !== true),
    endpoint: endpoint === undefined ? undefined : endpoint.state ?? "unknown",
    dialplan: dialplan === undefined ? undefined : Option.getOrUndefined(dialplan)
  } satisfies AsteriskPbx
})

const askDialplan = Effect.fnUntraced(function*(
  api: AriApi.AriApi,
  { detectsMachines, trunk, ...options }: AriApi.AriOptions & {
    readonly detectsMachines: boolean
    readonly trunk: Channels.Trunk
  }
) {
  const random = yield* SecureRandom.SecureRandom
  const app = Channels.appPrefixOf("doctor") + Hex.encode(yield* Effect.orDie(random.randomBytes(8)))
  const channelId = `doctor-${app}`
  // A channel needs an application.
  yield* EventSocket.make({ ...options, api, app, handle: () => Effect.void, opened: Effect.void })
  yield* Effect.acquireRelease(
    api.create({ endpoint: trunk.dialString(nobody), app, channelId }),
    () => Effect.ignore(api.hangUp(channelId))
  )
  const questions: ReadonlyArray<readonly [context: string, extension: string]> = [
    [contexts.ended, "s"],
    [contexts.answered, app],
    ...detectsMachines ? [[contexts.amd, app] as const] : []
  ]
  const answers = yield* Effect.forEach(
    questions,
    ([context, extension]) => api.variableOf(channelId, `DIALPLAN_EXISTS(${context},${extension},1)`)
  )
  const cdr = yield* Effect.orElseSucceed(api.variableOf(channelId, "CDR(uniqueid)"), () => "")
  return {
    missingContexts: questions.flatMap(([context], index) => answers[index] === "1" ? [] : [context]),
    hasCdr: cdr !== ""
  }
})
