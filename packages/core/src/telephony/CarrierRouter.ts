/**
 * Several carriers side by side, each under its own name: two vendors, or two accounts of one. Which calls go over which carrier is
 * configuration; the choice is stored with the claim, so that a call stays with its carrier when the routes change.
 */
import { Context, Duration, Effect, Hash, Layer, Schema } from "effect"
import { CallRoute, type CallRouting } from "../domain/CallRoute.ts"
import { decoding } from "../domain/Decoding.ts"
import { InvalidRequest } from "../domain/Errors.ts"
import { CarrierName } from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import { type Carrier, type CarrierServices, DialFailed, Telephony } from "./Telephony.ts"

export interface CarrierRouterOptions<E> {
  /** The carriers, each with a name of its own; at least one. The first is that of calls that no route matches. */
  readonly carriers: ReadonlyArray<Layer.Layer<Telephony, E, CarrierServices>>
  /** The first route that matches a call is the call's. Default: none, so that all calls go over the first carrier. */
  readonly routes?: ReadonlyArray<typeof CallRoute.Encoded>
}

/** Fails with `InvalidRequest` when two carriers have the same name, or a route names a carrier that is not one of them. */
export const layer = <E>(
  options: CarrierRouterOptions<E>
): Layer.Layer<Telephony, E | InvalidRequest, CarrierServices> => Layer.effect(Telephony, make(options))

export interface PlanningOptions extends Pick<CarrierRouterOptions<never>, "routes"> {
  /** Their names. The first is that of calls that no route matches. */
  readonly carriers: ReadonlyArray<string>
}

/** The checked routes over carriers of these names. Fails as `layer` does. */
export const routingOf = (options: PlanningOptions): Effect.Effect<CallRouting, InvalidRequest> =>
  Effect.map(decoded(options), ({ routing }) => routing)

/**
 * For a process that accepts calls and dials none: it plans them as the processes that dial do. Otherwise they would be planned again by
 * these. Fails as `layer` does.
 */
export const layerPlanning = (options: PlanningOptions): Layer.Layer<Telephony, InvalidRequest> =>
  Layer.effect(
    Telephony,
    Effect.map(
      decoded(options),
      (routing) =>
        Telephony.of({ name: undefined, router: { carriers: new Map(), pollings: [], ...routing }, ...noCarrier })
    )
  )

const decoded = ({ carriers, routes }: PlanningOptions) =>
  Effect.flatMap(decodeNames(carriers), (names) => withVersion(names, routes))

const decodeNames = decoding(Schema.Array(CarrierName), { at: "carriers" })
const decodeRoutes = decoding(Schema.Array(CallRoute), { at: "routes" })

/** The routes over carriers of these names, once they are checked. */
const withVersion = Effect.fnUntraced(
  function*(names: ReadonlyArray<CarrierName>, given: ReadonlyArray<typeof CallRoute.Encoded> = []) {
    const [first] = names
    if (first === undefined) return yield* invalid(["carriers"], "must be one carrier or more")
    for (const [index, name] of names.entries()) {
      if (!Lane.canName(name)) {
        return yield* invalid(["carriers", index, "name"], "must not contain |, a comma or a semicolon")
      }
      if (names.indexOf(name) !== index) {
        return yield* invalid(["carriers", index, "name"], `is the name of another one: ${name}`)
      }
    }
    const routes = yield* decodeRoutes(given)
    for (const [index, { carrier, failover = [] }] of routes.entries()) {
      const unknown = [carrier, ...failover].find((name) => !names.includes(name))
      if (unknown !== undefined) {
        return yield* invalid(["routes", index], `names ${unknown}, which is none of ${names.join(", ")}`)
      }
    }
    const routing: CallRouting = { routes, otherwise: first }
    return { routing, version: versionOf(routing) }
  }
)

const make = Effect.fnUntraced(function*<E>({ carriers: layers, routes }: CarrierRouterOptions<E>) {
  const all = yield* Effect.forEach(
    layers,
    (carrier) => Effect.map(Layer.build(carrier), (built) => Context.get(built, Telephony))
  )
  const carriers: Array<Carrier> = []
  for (const [index, telephony] of all.entries()) {
    const { name } = telephony
    if (name === undefined) return yield* invalid(["carriers", index], "must be a carrier, and not a router or none")
    carriers.push({ ...telephony, name })
  }
  const routing = yield* withVersion(carriers.map(({ name }) => name), routes)
  return Telephony.of({
    name: undefined,
    router: {
      carriers: new Map(carriers.map((carrier) => [carrier.name, carrier])),
      pollings: all.flatMap(({ polling }) => polling === undefined ? [] : [polling]),
      ...routing
    },
    ...noCarrier,
    routes: all.flatMap(({ routes = [] }) => routes)
  })
})

/** Calls go over the carriers behind the router. */
const noCarrier = {
  dial: () => Effect.fail(new DialFailed({ reason: "unavailable", cause: "A router dials over its carriers" })),
  lookUp: () => Effect.succeed({ _tag: "Unreachable" as const }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.minutes(1)
}

/** A hash of 32 bits. Without `|`, `@` and `>`, which separate the parts of lanes' names. */
export const versionOf = (routing: CallRouting): string =>
  (Hash.string(JSON.stringify(routing)) >>> 0).toString(16).padStart(8, "0")

const invalid = (path: ReadonlyArray<string | number>, message: string) =>
  Effect.fail(new InvalidRequest({ problems: [{ path: ["telephony", ...path], message }] }))
