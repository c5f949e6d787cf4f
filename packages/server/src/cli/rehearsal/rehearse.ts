/** `outdial rehearse --agent FILE|ID|NAME`: the agent against simulated contacts, in the memory of this process. */
import { ModelPersona } from "@outdial/ai"
import { Rehearsal } from "@outdial/core"
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as NamedAgent from "../account/NamedAgent.ts"
import * as ConfigModule from "../ConfigModule.ts"
import * as ConfiguredModel from "../ConfiguredModel.ts"
import { UsageError } from "../../config/UsageError.ts"
import * as PersonaFile from "./PersonaFile.ts"
import * as RehearsalText from "./RehearsalText.ts"

/** A must was not kept. */
export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()("RehearsalFailed", {
  failed: Schema.Int,
  calls: Schema.Int
}) {
  override get message(): string {
    return `The rehearsal failed: a must was not kept in ${this.failed} of ${this.calls} calls`
  }
}

export const rehearse = Command.make(
  "rehearse",
  {
    ...NamedAgent.flags,
    config: ConfigModule.flag,
    personas: Flag.String("personas").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Who answers the phone: a JSON file; default: 27 personas that speak the agent's language"),
      Flag.optional
    ),
    runs: Flag.Int("runs").pipe(
      Flag.withDescription("Number of calls; the personas take turns"),
      Flag.withDefault(50)
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("Chooses wordings and ringing times; the same seed gives the same contacts"),
      Flag.withDefault(1)
    ),
    concurrency: Flag.Int("concurrency").pipe(
      Flag.withDescription("Calls at once, up to 100: the agent is asked as often at once"),
      Flag.withDefault(10)
    ),
    improvise: Flag.Boolean("improvise").pipe(
      Flag.withDescription("Let the model of OUTDIAL_MODEL decide what personas do where they have no move"),
      Flag.withDefault(false)
    ),
    variables: Flag.KeyValuePair("variable").pipe(
      Flag.withDescription("A variable of the agent's texts, such as --variable clinic=Riverside; may be repeated"),
      Flag.withDefault({})
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the whole report as JSON, with every transcript"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*(
    { account, agent: named, concurrency, config, improvise, json, personas, runs, seed, variables }
  ) {
    const agent = yield* NamedAgent.read({ agent: named, account })
    const module = yield* ConfigModule.load(config)
    const { tools } = module
    const model = yield* ConfiguredModel.read
    // An agent of the module's may talk with personas of the model.
    const agentModel = improvise && module.textAgent !== undefined ? Option.none() : model
    const outcomes = ConfiguredModel.outcomes(module, model)
    const report = yield* Rehearsal.rehearse({
      agent,
      concurrency,
      runs,
      seed,
      variables,
      textAgent: yield* ConfiguredModel.textAgent(module, agentModel),
      ...(improvise && { player: yield* playerOf(model) }),
      ...(tools !== undefined && { tools }),
      ...(outcomes !== undefined && { outcomes }),
      ...(Option.isSome(personas) && { personas: yield* PersonaFile.read(personas.value) })
    })
    yield* Console.log(
      json ? JSON.stringify(RehearsalText.json(report)) : RehearsalText.lines(report, agent.name).join("\n")
    )
    if (report.passed) return
    const failed = report.runs.filter(({ failures }) => failures.length > 0).length
    return yield* new RehearsalFailed({ failed, calls: report.runs.length })
  })
).pipe(Command.withDescription(
  "Rehearse an agent against simulated contacts, on virtual time; exits 0 if every must was kept. No phone rings, nothing is stored"
))

const playerOf = (model: Option.Option<ConfiguredModel.ConfiguredModel>) =>
  Option.match(model, {
    onNone: () => Effect.fail(new UsageError({ message: "--improvise needs a language model; set OUTDIAL_MODEL" })),
    onSome: ({ layer }) => Effect.succeed(ModelPersona.layer(layer))
  })
