/**
 * Tools of the host application, which agents may use in conversations: an agent names them in its field `tools`. What a tool is given and
 * what it returns is never in logs or spans.
 */
import { Context, Duration, Effect, JsonSchema, Layer, Option, Result, Schema, SchemaRepresentation } from "effect"
import { ToolNames } from "../account/AgentNames.ts"
import { type AgentBrief, ToolName } from "../domain/Agent.ts"
import type { Contact } from "../domain/Call.ts"
import { InvalidRequest, type Problem } from "../domain/Errors.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { problems } from "../domain/Problems.ts"

/** Where a tool is used. */
export interface ToolContext {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly agent: AgentBrief
  readonly contact: Contact
  /** Unique for each run of a tool. Use it as the idempotency key of requests to other systems. */
  readonly key: string
  /** Aborted when the time of the tool is over. */
  readonly signal: AbortSignal
}

/** A schema of an object: of Effect, or as JSON Schema (draft 2020-12). */
export type Parameters = Schema.ConstraintDecoder<unknown> | JsonSchema.JsonSchema

/** The arguments of a tool, as its schema decodes them. */
export type Arguments<P> = P extends { readonly Type: infer T } ? T : Readonly<Record<string, Schema.Json>>

export interface ToolOptions<P extends Parameters> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** What it does and when to use it, for the language model. */
  readonly description: string
  /** What the agent gives it. Other arguments are refused. */
  readonly parameters: P
  /** How long it may take, at most 30 seconds: the contact waits for it. Default: 10 seconds. */
  readonly timeout?: Duration.Input
  /** Said while it runs, such as "I look that up.". Default: the filler of slow agents. */
  readonly filler?: string
  /** Whether it changes nothing. Then it runs again when it is asked for again with the same arguments. Default: `false`. */
  readonly readOnly?: boolean
  /** Returns what the agent gets, as JSON. The agent does not see what it throws: return what the agent should know. */
  readonly run: (args: Arguments<P>, context: ToolContext) => Effect.Effect<unknown, unknown> | Promise<unknown>
}

/** A tool of any arguments. */
export interface Tool extends Omit<ToolOptions<Parameters>, "run"> {
  /** As in `ToolOptions`. */
  readonly run: (args: never, context: ToolContext) => Effect.Effect<unknown, unknown> | Promise<unknown>
}

/** Gives the arguments of a tool their types. `layer` checks it. */
export const make = <const P extends Parameters>(options: ToolOptions<P>): Tool => options

/** What an agent knows of a tool. */
export interface ToolDescription {
  readonly name: string
  /** What it does and when to use it. */
  readonly description: string
  /** What it is given, as JSON Schema. */
  readonly parameters: JsonSchema.JsonSchema
}

/** A tool that was checked. */
export interface RegisteredTool extends ToolDescription {
  readonly timeout: Duration.Duration
  readonly filler: string | undefined
  readonly isReadOnly: boolean
  /** How to run the tool with these arguments, or what is wrong with them. */
  readonly prepare: (args: unknown) => Result.Result<Run, ReadonlyArray<Problem>>
}

type Run = (context: ToolContext) => Effect.Effect<unknown, unknown>

/** The tools of this deployment by their names. None where a process does not know them, such as one that only changes agents. */
export const Tools = Context.Reference<RegisteredTools>("@outdial/core/conversation/Tools", {
  defaultValue: Option.none
})

export type RegisteredTools = Option.Option<ReadonlyMap<string, RegisteredTool>>

/** Names of tools that the language-model agent has by itself. */
const reservedNames: ReadonlyArray<string> = [
  "record_answer",
  "request_callback",
  "request_meeting",
  "stop_calling",
  "end_call",
  "press_digits",
  "transfer"
]

/** These tools, for agents of this deployment. Fails if one of them is wrong. */
export const layer = (tools: ReadonlyArray<Tool>): Layer.Layer<never, InvalidRequest> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const registered = new Map<string, RegisteredTool>()
      for (const [index, tool] of tools.entries()) {
        const checked = Result.mapError(check(tool), (problem) =>
          new InvalidRequest({ problems: [{ ...problem, path: ["tools", index, ...problem.path] }] }))
        const { name } = yield* Effect.fromResult(checked)
        if (registered.has(name)) {
          return yield* new InvalidRequest({
            problems: [{ path: ["tools", index, "name"], message: "repeats a name" }]
          })
        }
        registered.set(name, yield* Effect.fromResult(checked))
      }
      return Context.make(Tools, Option.some(registered)).pipe(
        Context.add(ToolNames, Option.some([...registered.keys()]))
      )
    })
  )

const check = (tool: Tool): Result.Result<RegisteredTool, Problem> => {
  const { description, filler, name, readOnly = false, run } = tool
  const wrong = (field: keyof Tool, message: string) => Result.fail({ path: [field], message })
  if (!Schema.is(ToolName)(name)) return wrong("name", "must have 1 to 64 letters, digits, _ and -")
  if (reservedNames.includes(name)) return wrong("name", "is reserved for a tool of Outdial")
  if (typeof description !== "string" || description.trim() === "") return wrong("description", "must not be empty")
  const timeout = Duration.fromInput(tool.timeout ?? Limits.toolTimeout)
  if (
    Option.isNone(timeout) ||
    !Duration.between(timeout.value, { minimum: Duration.millis(1), maximum: Limits.toolTimeoutMost })
  ) return wrong("timeout", `must be above 0 and at most ${Duration.toSeconds(Limits.toolTimeoutMost)} seconds`)
  if (typeof run !== "function") return wrong("run", "must be a function")
  const schema = schemaOf(tool.parameters)
  if (schema === undefined) {
    return wrong("parameters", "must be a schema of an object that can be written as JSON Schema")
  }
  return Result.succeed({
    name,
    description,
    parameters: schema.json,
    timeout: timeout.value,
    filler,
    isReadOnly: readOnly,
    prepare: (args) =>
      Result.mapBoth(schema.decode(args), {
        onFailure: ({ issue }) => problems(issue),
        // They have been decoded by the schema that gives them their type.
        onSuccess: (decoded) => (context) => started(() => run(decoded as never, context))
      })
  })
}

/** What a host's function throws or rejects with is a defect. */
const started = (run: () => Effect.Effect<unknown, unknown> | Promise<unknown>): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const running = run()
    return Effect.isEffect(running) ? running : Effect.promise(async () => running)
  })

const isSchema = (parameters: Parameters): parameters is Schema.ConstraintDecoder<unknown> =>
  Schema.isSchema(parameters)

interface ArgumentsSchema {
  readonly json: JsonSchema.JsonSchema
  readonly decode: (args: unknown) => Result.Result<unknown, Schema.SchemaError>
}

/** None if the schema is not of an object, or has parts that JSON Schema cannot express: reading and writing it throws then. */
const schemaOf = (parameters: Parameters): ArgumentsSchema | undefined =>
  Option.getOrUndefined(Option.filter(
    Result.getSuccess(Result.try((): ArgumentsSchema => {
      if (isSchema(parameters)) {
        const { definitions, schema } = Schema.toJsonSchemaDocument(parameters)
        const codec = Schema.toCodecJson(parameters)
        return {
          json: Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions },
          decode: Schema.decodeUnknownResult(codec, { errors: "all" })
        }
      }
      // `patterns` checks regular expressions, too. Schemas that are read from JSON need no services.
      const schema = SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(parameters), {
        patterns: "apply"
      }) as Schema.Codec<unknown>
      return { json: parameters, decode: Schema.decodeUnknownResult(schema, { errors: "all" }) }
    })),
    ({ json }) => json["type"] === "object"
  ))
