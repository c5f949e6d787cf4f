/** The position of a reader in the event feed. Opaque to callers, and not interchangeable with the cursor of a list. */
import { Option, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { cursorOf } from "./Page.ts"

const Parts = Schema.fromJsonString(
  Schema.Tuple([
    Schema.Literal("feed"),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
  ])
)
const encodeParts = Schema.encodeSync(Parts)
const decodeParts = Schema.decodeUnknownOption(Parts)

/** The cursor after this position. */
export const toCursor = (position: number): string => Base64Url.encode(encodeParts(["feed", position]))

/** The position of the cursor; `None` if this engine did not make it. */
export const fromCursor = (cursor: string): Option.Option<number> =>
  Option.getSuccess(Base64Url.decodeString(cursor)).pipe(
    Option.flatMap(decodeParts),
    Option.map(([, position]) => position)
  )

/** A cursor of the feed, with its name in responses. */
export const Cursor = (name: string) => cursorOf(Schema.Int, `${name} of the feed`, { from: fromCursor, to: toCursor })
