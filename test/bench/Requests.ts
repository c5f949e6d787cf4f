/**
 * Sends requests to a node, so many at a time, and insists on what it answers. Bodies are made beforehand and answers not read:
 * what is spent here is taken from the node, which shares the machine.
 */
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
      for (let request = left.pop(); request !== undefined; request = left.pop()) await answered(pool, request)
    }))
    await pool.close()
  })

/** Without the stream that undici otherwise makes of each answer. */
const answered = (pool: Pool, { body, key, path }: Request) =>
  new Promise<void>((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-api-key": key }
    let status = 0
    let refusal = ""
    pool.dispatch({ method: "POST", path, headers, body }, {
      // Undici insists on it.
      onRequestStart: () => {},
      onResponseStart: (_, statusCode) => void (status = statusCode),
      onResponseData: (_, chunk) => {
        if (status >= 300) refusal += chunk.toString()
      },
      onResponseEnd: () =>
        status < 300 ? resolve() : reject(new Error(`${path} was answered with ${status}: ${refusal}`)),
      onResponseError: (_, error) => reject(error)
    })
  })
