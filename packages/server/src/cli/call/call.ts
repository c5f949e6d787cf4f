/** `outdial call NUMBER --agent NAME`: places one call on a running server, and shows it until it has ended. */
import {
  type ClientAgent,
  type ClientCall,
  makeClient,
  OutdialApiError,
  type PromiseClient
} from "@outdial/http/client"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as CallLines from "./CallLines.ts"
import * as Server from "./Server.ts"
import { UsageError } from "../../config/UsageError.ts"

/** How often the server is asked what has happened. */
const pollEvery = "500 millis"

/** How long the outcome of a call that has ended is waited for. */
const outcomeTimeout = "30 seconds"

/** Enough for a restart of the server: 40 seconds. */
const retries = 8

/** The call has ended, but not as `completed`. */
export class CallNotCompleted extends Schema.TaggedError<CallNotCompleted>()("CallNotCompleted", {
  status: Schema.String
}) {
  override get message(): string {
    return `The call was not completed: it is ${this.status}`
  }
}

export const call = Command.make(
  "call",
  {
    number: Argument.String("number").pipe(Argument.withDescription("The phone number, with + and its country code")),
    agent: Flag.String("agent").pipe(
      Flag.withMetavar("NAME|ID"),
      Flag.withDescription("The agent, by its name or its id")
    ),
    contact: Flag.String("contact").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("The contact's name, for the placeholder contact.name"),
      Flag.optional
    ),
    variables: Flag.KeyValuePair("variable").pipe(
      Flag.withDescription("A variable of the agent's texts, such as --variable clinic=Riverside; may be repeated"),
      Flag.withDefault({})
    ),
    ...Server.flags,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one line of JSON when the call has ended, and nothing else"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ agent: named, contact, json, number, variables, ...where }) {
    const server = yield* Server.find(where)
    const client = makeClient({ baseUrl: server.url, apiKey: server.apiKey, retries })
    const agent = yield* agentOf(client, named, server.url)
    const started = yield* ask(server.url, (signal) =>
      client.calls.start({
        agentId: agent.id,
        phoneNumber: number,
        contact: Option.match(contact, { onNone: () => ({}), onSome: (name) => ({ name }) }),
        variables
      }, { signal }))
    const ended = yield* watch({
      client,
      url: server.url,
      id: started.id,
      names: { agent: agent.name, contact: Option.getOrElse(contact, () => "Contact") },
      print: (line) => json ? Effect.void : Console.log(line)
    }).pipe(Effect.onInterrupt(() => Console.error(goesOn(server.url, started.id))))
    yield* json
      ? Effect.flatMap(ask(server.url, (signal) => asSent(server, started.id, signal)), Console.log)
      : Effect.forEach(CallLines.outcome(ended), (line) => Console.log(line), { discard: true })
    if (ended.status !== "completed") return yield* new CallNotCompleted({ status: ended.status })
  })
).pipe(Command.withDescription(
  "Place one call on a running server and show it live; exits 0 if it was completed. Ctrl-C stops watching, and the call goes on"
))

const goesOn = (url: string, id: string) => `The call goes on. GET ${url}/v1/calls/${id} shows it`

/** The answer to a request. An interruption aborts it. */
const ask = <A>(url: string, request: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({
    try: request,
    catch: (cause) =>
      cause instanceof OutdialApiError && cause.code !== "connection_failed"
        ? new UsageError({ message: messageOf(cause) })
        : new UsageError({ message: `${url} does not answer. Is the server running? npm start is one` })
  })

/** In the words of this command: a variable has a flag. */
const messageOf = ({ code, details, message }: OutdialApiError): string => {
  const { missing } = details
  if (code !== "missing_variables" || missing === undefined) return message
  return `The agent needs values: give ${missing.map((key) => `--variable '${key}=…'`).join(" ")}`
}

const agentOf = Effect.fnUntraced(function*(client: PromiseClient, named: string, url: string) {
  const all = yield* ask(url, async (signal) => {
    const agents: Array<ClientAgent> = []
    for await (const agent of client.agents.list({}, { signal })) agents.push(agent)
    return agents
  })
  const found = all.find(({ id, name }) => id === named.toLowerCase() || name.toLowerCase() === named.toLowerCase())
  if (found !== undefined) return found
  const names = all.map(({ name }) => name).join(", ")
  return yield* new UsageError({
    message: `There is no agent "${named}". ${
      names === "" ? "Make one: outdial agents put FILE" : `There are: ${names}`
    }`
  })
})

interface Watched {
  readonly client: PromiseClient
  readonly url: string
  readonly id: string
  readonly names: Parameters<typeof CallLines.turn>[0]
  readonly print: (line: string) => Effect.Effect<void>
}

/** Prints what happens to the call. Returns it when it has ended, with its outcome if that is made soon. */
const watch = Effect.fnUntraced(function*({ client, id, names, print, url }: Watched) {
  let shown: ClientCall | undefined
  let sequence = 0
  const look = Effect.gen(function*() {
    const call = yield* ask(url, (signal) => client.calls.get(id, { signal }))
    const isLive = call.status === "queued" || call.status === "dialing"
    // Read after the call: it has every turn of a call that has ended.
    const { sealed, turns } = isLive
      ? { sealed: false, turns: [] }
      : yield* ask(url, (signal) => client.calls.transcript(id, { after: sequence }, { signal }))
    const lines = CallLines.changed(shown, call)
    const spoken = turns.map((turn) => CallLines.turn(names, turn))
    sequence = turns.at(-1)?.sequence ?? sequence
    shown = call
    yield* Effect.forEach(call.endedAt === undefined ? [...lines, ...spoken] : [...spoken, ...lines], print, {
      discard: true
    })
    return { call, isOver: call.endedAt !== undefined && sealed }
  })
  const { call } = yield* Effect.repeat(Effect.delay(look, pollEvery), { until: ({ isOver }) => isOver })
  if (call.status !== "completed" || call.outcome !== null) return call
  return yield* ask(url, (signal) => client.calls.get(id, { signal })).pipe(
    Effect.delay(pollEvery),
    Effect.repeat({ until: ({ outcome }) => outcome !== null }),
    Effect.timeoutOrElse({ duration: outcomeTimeout, orElse: () => Effect.succeed(call) })
  )
})

/** The call in the words of the API. */
const asSent = async ({ apiKey, url }: Server.Server, id: string, signal: AbortSignal): Promise<string> => {
  const response = await fetch(`${url}/v1/calls/${id}`, { headers: { "x-api-key": apiKey }, signal })
  return response.text()
}
