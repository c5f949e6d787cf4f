/**
 * Wake-ups across the nodes on one Postgres, by LISTEN and NOTIFY. Guarantees that a node hears its own at once, and others
 * once per interval at most however many there are; what a host's transaction says is heard when it commits. Losing one only
 * costs time, as every loop also polls: nothing here fails, and a lost connection is listened on anew.
 */
import { PgClient } from "@effect/sql-pg"
import { Wakeups } from "@outdial/core"
import { Effect, Latch, Layer, Option, Queue, Random, Schedule } from "effect"

const channel = "outdial_wakeups"

/** How long what is to be told waits for more of it: a NOTIFY for each call would halve what Postgres accepts. */
const notifyInterval = "5 millis"

/** Between tries to listen: as often as loops poll meanwhile. */
const listenSchedule = Schedule.spaced("1 second")

const isTopic = (text: string): text is Wakeups.Topic => Wakeups.topics.some((topic) => topic === text)

/** How long a second connection is waited for, of a client that does not say how many it has. */
const connectionWait = "2 seconds"

/**
 * Whether whoever listens leaves a connection to others. A pool has ten when it is not told how many; a client of a single
 * connection says as little, and is found out by having no second one.
 */
const sparesConnection = (client: PgClient.PgClient) => {
  const { config } = client
  if ("maxConnections" in config) return Effect.succeed(config.maxConnections !== 1)
  // It listens on one that it opens for that.
  if ("acquireForStream" in config && config.acquireForStream === true) return Effect.succeed(true)
  // A statement, because who waits for a connection to reserve cannot be interrupted.
  const second = Effect.timeoutOption(client`select 1`, connectionWait)
  return Effect.scoped(Effect.andThen(client.reserve, second)).pipe(
    Effect.map(Option.isSome),
    Effect.tap((spares) =>
      spares
        ? Effect.void
        : Effect.logWarning("A single connection is not listened on: loops poll for other nodes' work")
    )
  )
}

/** Holds one connection of the client's to listen on; where it has no other, nobody listens, and the loops poll. */
export const layer: Layer.Layer<Wakeups.Wakeups, never, PgClient.PgClient> = Layer.effect(
  Wakeups.Wakeups,
  Effect.gen(function*() {
    const client = yield* PgClient.PgClient
    const sql = client.withoutTransforms()
    const local = Wakeups.makeLocal()
    // A node tells who it is, so that it does not hear itself, and not whose work it is: were all to look at one account at
    // once, they would be in each other's way. It has looked by the time that others ask.
    const node = `${yield* Random.nextInt}`
    const inTransaction = Effect.map(Effect.serviceOption(client.transactionService), Option.isSome)

    const notifyNodes = (payloads: ReadonlyArray<string>) =>
      sql`
        select pg_notify(${channel}, t.payload)
        from unnest(${payloads}::text[]) as t (payload)`.pipe(
        Effect.asVoid,
        Effect.catch((error) => Effect.logDebug("Other nodes could not be woken; they poll", error))
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
    // What comes within an interval is told at its end. What this node has heard is told when it has had time to do it: nobody is to
    // work for others while somebody waits for this.
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
      // Whatever was said while nobody listened.
      yield* Effect.forEach(Wakeups.topics, (topic) => local.wake(topic), { discard: true })
      return yield* Effect.forever(Effect.flatMap(Queue.take(notifications), ({ payload }) => {
        const [topic = "", from] = payload.split(" ")
        return isTopic(topic) && from !== node ? local.wake(topic) : Effect.void
      }))
    }))

    // A command may end as soon as it has done its work.
    yield* Effect.addFinalizer(() => notifyPending)
    yield* Effect.forkScoped(Effect.forever(notifyOthers))
    yield* Effect.forkScoped(listen.pipe(
      // Once for each loss, however long the database is away.
      Effect.tapCause((cause) => {
        const log = isLost ? Effect.logDebug : Effect.logWarning
        isLost = true
        return log("Wake-ups from other nodes are lost; listening again", cause)
      }),
      Effect.retry(listenSchedule)
    ))

    return Wakeups.Wakeups.of({
      notify: (topic, accountId) =>
        Effect.flatMap(inTransaction, (isHosts) => {
          // Heard here, too, when the host commits: nobody can see the work before.
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
