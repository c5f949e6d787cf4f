/**
 * Who may use the console. A link works once and becomes a session; the tokens of both are shown once and stored only as hashes. Links are
 * made by those with access to the storage, and by admins on the page; a page never sees an API key.
 */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as ConsoleSession from "../domain/ConsoleSession.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { type ConsoleLinkId, type ConsoleSessionId, makeAuditEntryId, makeConsoleSessionId } from "../domain/Ids.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { ConsoleStore } from "./ConsoleStore.ts"

/** A session with its token. */
export interface OpenedSession {
  readonly session: ConsoleSession.ConsoleSession
  readonly token: Redacted.Redacted
}

export class ConsoleAccess extends Context.Service<ConsoleAccess, {
  /** A link with its token, which works once within `ConsoleSession.linkTtl`. */
  readonly createLink: (
    link: ConsoleSession.NewLink
  ) => Effect.Effect<ConsoleSession.UnusedLink & { readonly token: Redacted.Redacted }, Unavailable>
  /** Those that can be opened, newest first. */
  readonly links: Effect.Effect<ReadonlyArray<ConsoleSession.UnusedLink>, Unavailable>
  /** After it returns, the link opens nothing. Returns whether there was one that could be opened. */
  readonly revokeLink: (id: ConsoleLinkId) => Effect.Effect<boolean, Unavailable>
  /** Uses up the link, and records it in the audit log. `None` if it is unknown, used or expired. */
  readonly openLink: (token: Redacted.Redacted) => Effect.Effect<Option.Option<OpenedSession>, Unavailable>
  /** The session of the token. `None` if it is unknown, expired or revoked. */
  readonly sessionOf: (
    token: Redacted.Redacted
  ) => Effect.Effect<Option.Option<ConsoleSession.ConsoleSession>, Unavailable>
  /** Those that can be used, newest first. */
  readonly sessions: Effect.Effect<ReadonlyArray<ConsoleSession.ConsoleSession>, Unavailable>
  /** After it returns, requests with the session are refused. Returns whether there was one. */
  readonly revoke: (id: ConsoleSessionId) => Effect.Effect<boolean, Unavailable>
}>()("@outdial/core/console/ConsoleAccess") {
  static readonly layer = Layer.effect(
    ConsoleAccess,
    Effect.gen(function*() {
      const store = yield* ConsoleStore
      const random = yield* SecureRandom.SecureRandom
      const digest = yield* Digest.Digest
      // SHA-256 of text cannot fail; a token has 256 bits of entropy, so no slow hash is needed.
      const hash = (token: string) => Effect.orDie(digest.digestHex(Digest.sha256, new TextEncoder().encode(token)))
      const links = Effect.gen(function*() {
        return yield* orUnavailable(store.listLinks(yield* DateTime.now))
      })
      const withRandom = Effect.provideService(SecureRandom.SecureRandom, random)
      return ConsoleAccess.of({
        createLink: Effect.fn("ConsoleAccess.createLink")(function*(link) {
          const createdAt = yield* DateTime.now
          const expiresAt = DateTime.addDuration(createdAt, ConsoleSession.linkTtl)
          const token = yield* ConsoleSession.makeToken
          const stored = { ...link, hash: yield* hash(token), createdAt, expiresAt }
          yield* orUnavailable(store.addLink(stored))
          return { ...toUnused(stored), token: Redacted.make(token, { label: "console-link" }) }
        }, withRandom),
        links: Effect.map(links, (all) => all.map(toUnused)),
        revokeLink: Effect.fn("ConsoleAccess.revokeLink")(function*(id) {
          const link = (yield* links).find((link) => ConsoleSession.linkId(link) === id)
          return link !== undefined && (yield* orUnavailable(store.revokeLink(link.hash)))
        }),
        openLink: Effect.fn("ConsoleAccess.openLink")(function*(given) {
          const text = Redacted.value(given)
          if (!ConsoleSession.isWellFormed(text)) return Option.none()
          const now = yield* DateTime.now
          const token = yield* ConsoleSession.makeToken
          const session = yield* orUnavailable(store.openLink({
            hash: yield* hash(text),
            now,
            session: {
              id: yield* makeConsoleSessionId,
              hash: yield* hash(token),
              expiresAt: DateTime.addDuration(now, ConsoleSession.sessionTtl)
            },
            entryId: yield* makeAuditEntryId
          }))
          return Option.map(session, (session) => ({
            session,
            token: Redacted.make(token, { label: "console-session" })
          }))
        }, withRandom),
        sessionOf: Effect.fnUntraced(function*(token) {
          const text = Redacted.value(token)
          if (!ConsoleSession.isWellFormed(text)) return Option.none()
          return yield* orUnavailable(store.useSession({ hash: yield* hash(text), now: yield* DateTime.now }))
        }),
        sessions: Effect.gen(function*() {
          return yield* orUnavailable(store.listSessions(yield* DateTime.now))
        }),
        revoke: Effect.fn("ConsoleAccess.revoke")((id) => orUnavailable(store.revokeSession(id)))
      })
    })
  )
}

const toUnused = ({ hash, ...link }: ConsoleSession.ConsoleLink): ConsoleSession.UnusedLink => ({
  ...link,
  id: ConsoleSession.linkId({ hash })
})
