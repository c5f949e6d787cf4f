/**
 * Who plays the personas of a rehearsal: our own player makes their moves and gives their answers; another one may also decide what they do
 * where they have no move.
 */
import { Context, Duration, Effect, Layer, Schema } from "effect"
import type { Persona } from "./Persona.ts"
import { PersonaFailed, play, type Played, type PlayOptions, type Reply, type Turn } from "./PersonaContact.ts"

/** A turn for which the persona has no move. */
export interface PlayedTurn extends Turn {
  readonly persona: Persona
  /** Aborted when the time for the reply is over. */
  readonly signal: AbortSignal
}

/** What the persona does. Its words answer the question, or ask not to be called again, only where this says so. */
export type PlayedReply = Pick<Reply, "move"> & Partial<Reply>

/** No phone waits for it, but a rehearsal must end. */
const replyTimeout = Duration.seconds(60)

const Text = Schema.String.check(Schema.isPattern(/[\p{L}\p{N}]/u, { message: "must have a letter or a digit" }))

const PlayedReply = Schema.Struct({
  move: Schema.Union([
    Schema.TaggedStruct("Says", { text: Text }),
    Schema.TaggedStruct("Presses", {
      digits: Schema.String.check(Schema.isPattern(/^[0-9A-D*#]{1,64}$/u, { message: "must have 1 to 64 keys" }))
    }),
    Schema.TaggedStruct("IsSilent", {}),
    Schema.TaggedStruct("HangsUp", { text: Schema.optionalKey(Text) })
  ]),
  isAnswer: Schema.optionalKey(Schema.Boolean),
  optsOut: Schema.optionalKey(Schema.Boolean)
})

const decodeReply = Schema.decodeUnknownEffect(PlayedReply, { errors: "all" })

export class PersonaPlayer extends Context.Service<PersonaPlayer, {
  readonly play: (options: PlayOptions) => Played
}>()("@outdial/core/rehearsal/PersonaPlayer") {
  /** Makes the moves of the personas, and gives their answers. */
  static readonly layerScripted = Layer.succeed(PersonaPlayer, { play })

  /**
   * Asks the function where a persona has no move. The rehearsal fails if it rejects, returns something else than a reply, or takes longer
   * than a minute: nothing could be said of the call.
   */
  static readonly layerOf = (reply: (turn: PlayedTurn) => PlayedReply | Promise<PlayedReply>) =>
    Layer.succeed(PersonaPlayer, {
      play: (options) => {
        const { persona } = options
        const failed = (cause: unknown) => new PersonaFailed({ persona: persona.name, cause })
        return play({
          ...options,
          improvise: (turn) =>
            Effect.tryPromise({ try: async (signal) => reply({ ...turn, persona, signal }), catch: failed }).pipe(
              Effect.timeoutOrElse({
                duration: replyTimeout,
                orElse: () => Effect.fail(failed(`no reply came in ${Duration.toSeconds(replyTimeout)} seconds`))
              }),
              Effect.flatMap((given) => Effect.mapError(decodeReply(given), failed)),
              Effect.map(({ isAnswer = false, move, optsOut = false }) => ({ move, isAnswer, optsOut }))
            )
        })
      }
    })
}
