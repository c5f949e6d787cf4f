/**
 * Wake-ups between the nodes on one Postgres, by LISTEN and NOTIFY. A node receives its own at once, and others' at most
 * once per interval, however many there are; those of a host's transaction arrive when it commits. A lost wake-up only costs
 * time, because every loop also polls: nothing here fails, and a lost connection is listened on again.
 */
import { PgClient } from "@effect/sql-pg"
import { Wakeups } from "@outdial/core"
import { Effect, Latch, Layer, Option, Queue, Random, Schedule } from "effect"

const channel = "outdial_wakeups"

/** How long notifications are collected: a NOTIFY for each call would halve the throughput of accepted calls. */
const notifyInterval = "5 millis"

/** The delay between attempts to listen, the interval at which loops poll. */
const listenSchedule = Schedule.spaced("1 second")

const isTopic = (text: string): text is Wakeups.Topic => Wakeups.topics.some((topic) => topic === text)

/** How long to wait for a second connection of a client that does not say how many it has. */
const connectionWait = "2 seconds"

/**
 * Whether a listening connection leaves others free. A pool without a configured size has ten. A client with one
 * connection has no configured size either, so a second connection is tried.
 */
const sparesConnection = (client: PgClient.PgClient) => {
  const { config } = client
  if ("maxConnections" in config) return Effect.succeed(config.maxConnections !== 1)
  // It opens a separate connection to listen.
  if ("acquireForStream" in config && config.acquireForStream === true) return Effect.succeed(true)
  // A statement, because a wait for a reserved connection cannot be interrupted.
  const second = Effect.timeoutOption(client`select 1`, connectionWait)
  return Effect.scoped(Effect.andThen(client.reserve, second)).pipe(
    Effect.map(Option.isSome),
    Effect.tap((spares) =>
      spares
        ? Effect.void
        : Effect.logWarning(
          "The client has a single connection, which is not listened on. Loops poll for work of other nodes"
        )
    )
  )
}

/** Listens on one connection of the client. If it has no other, this node does not listen, and its loops poll. */
export const layer: Layer.Layer<Wakeups.Wakeups, never, PgClient.PgClient> = Layer.effect(
  Wakeups.Wakeups,
  Effect.gen(function*() {
    const client = yield* PgClient.PgClient
    const sql = client.withoutTransforms()
    const local = Wakeups.makeLocal()
    // A node sends its own id, so that it ignores its own notifications. It does not send the account: if all nodes polled
    // one account at once, they would conflict. This node has polled it by then.
    const node = `${yield* Random.nextInt}`
    const inTransaction = Effect.map(Effect.serviceOption(client.transactionService), Option.isSome)

    const notifyNodes = (payloads: ReadonlyArray<string>) =>
      sql`
        select pg_notify(${channel}, t.payload)
        from unnest(${payloads}::text[]) as t (payload)`.pipe(
        Effect.asVoid,
        Effect.catch((error) => Effect.logDebug("Other nodes could not be notified; they poll", error))
      )

    const pending = new Set<Wakeups.Topic>()
    let isAwaitedHere = true
    const hasPending = Latch.makeUnsafe()
    const notifyPending = Effect.suspend(() => {
      const topics = [...pending]
      pending.clear()
      isAwaitedHere = true
      return topics.length === 0 ? Effect.void : notifyNodes(topics.map((topic) => `${topic} ${node}`))
    })
    // Wake-ups of an interval are sent at its end. If a loop of this node waits for the wake-up, the notification is delayed, so
    // that this node does the work first.
    const notifyOthers = hasPending.await.pipe(
      Effect.andThen(hasPending.close),
      Effect.andThen(Effect.suspend(() => isAwaitedHere ? Effect.sleep(notifyInterval) : Effect.void)),
      Effect.andThen(notifyPending),
      Effect.andThen(Effect.sleep(notifyInterval))
    )

    let isLost = false
    let isSpared: boolean | undefined
    const listen = Effect.scoped(Effect.gen(function*() {
      isSpared ??= yield* sparesConnection(client)
      if (!isSpared) return
      const notifications = yield* client.listen(channel)
      isLost = false
      // For notifications that were missed meanwhile.
      yield* Effect.forEach(Wakeups.topics, (topic) => local.wake(topic), { discard: true })
      return yield* Effect.forever(Effect.flatMap(Queue.take(notifications), ({ payload }) => {
        const [topic = "", from] = payload.split(" ")
        return isTopic(topic) && from !== node ? local.wake(topic) : Effect.void
      }))
    }))

    // A command may exit right after its work.
    yield* Effect.addFinalizer(() => notifyPending)
    yield* Effect.forkScoped(Effect.forever(notifyOthers))
    yield* Effect.forkScoped(listen.pipe(
      // One warning per loss, however long the database is away.
      Effect.tapCause((cause) => {
        const log = isLost ? Effect.logDebug : Effect.logWarning
        isLost = true
        return log("The connection for wake-ups from other nodes was lost; listening again", cause)
      }),
      Effect.retry(listenSchedule)
    ))

    return Wakeups.Wakeups.of({
      notify: (topic, accountId) =>
        Effect.flatMap(inTransaction, (isHosts) => {
          // This node is also notified on commit: the work is not visible earlier.
          if (isHosts) return notifyNodes([topic])
          pending.add(topic)
          isAwaitedHere &&= local.isAwaited(topic)
          return Effect.andThen(local.wake(topic, accountId), Effect.asVoid(hasPending.open))
        }),
      wake: local.wake,
      wait: local.wait
    })
  })
)
