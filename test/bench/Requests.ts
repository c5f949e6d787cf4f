/** Sends requests to a node, so many at a time, and insists on what it answers. */
import { Pool } from "@effect/platform-node/Undici"
import { Effect } from "effect"

export interface Request {
  readonly path: string
  readonly key: string
  readonly body: string
}

/** Ends when all have been answered with success. */
export const send = (port: number, requests: ReadonlyArray<Request>, inFlight: number) =>
  Effect.promise(async () => {
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight, pipelining: 1 })
    const left = requests.toReversed()
    await Promise.all(Array.from({ length: inFlight }, async () => {
      for (let request = left.pop(); request !== undefined; request = left.pop()) {
        const { body, key, path } = request
        const headers = { "content-type": "application/json", "x-api-key": key }
        const answer = await pool.request({ method: "POST", path, headers, body })
        const text = await answer.body.text()
        if (answer.statusCode >= 300) throw new Error(`${path} was answered with ${answer.statusCode}: ${text}`)
      }
    }))
    await pool.close()
  })
