/**
 * Requests to the server. Every failure is an `ApiError` or a `ConnectionLost`. An answer 401 ends the session for the whole page,
 * see `onSessionEnded`.
 */
import { ApiError, ConnectionLost } from "./ApiError.ts"

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** The address below which the console is served, from the `<base>` of the page: `/console/`. */
export const basePath = new URL(".", document.baseURI).pathname

/** The address of a path of the API, such as `session`. */
export const apiUrl = (path: string): string => `${basePath}api/${path}`

const endedListeners = new Set<() => void>()

/** Calls the listener when the server no longer knows the session. Returns how to stop that. */
export const onSessionEnded = (listener: () => void): () => void => {
  endedListeners.add(listener)
  return () => endedListeners.delete(listener)
}

export const sessionEnded = (): void => endedListeners.forEach((listener) => listener())

/** The JSON of the answer; `undefined` when it has none. */
export const request = async <Body>(path: string, options: RequestOptions = {}): Promise<Body> => {
  const { body, headers, method = "GET", signal } = options
  const response = await fetch(apiUrl(path), {
    method,
    credentials: "same-origin",
    headers: {
      accept: "application/json",
      // Proves to the server that a script of this origin sent the request.
      ...(method !== "GET" && { "outdial-console": "1" }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal })
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause
    throw new ConnectionLost(cause)
  })
  return readResponse<Body>(response)
}

/** The bytes of the answer, such as a recording. */
export const download = async (path: string): Promise<Blob> => {
  const response = await fetch(apiUrl(path), { credentials: "same-origin" }).catch((cause: unknown) => {
    throw new ConnectionLost(cause)
  })
  if (!response.ok) return readResponse<never>(response)
  return response.blob().catch((cause: unknown) => {
    throw new ConnectionLost(cause)
  })
}

const readResponse = async <Body>(response: Response): Promise<Body> => {
  const text = await response.text().catch((cause: unknown) => {
    throw new ConnectionLost(cause)
  })
  const json = parse(text)
  if (response.ok) return json as Body // the server's types are the contract
  const error = typeof json === "object" && json !== null && "error" in json ? json.error : undefined
  const failure = new ApiError(response.status, isRecord(error) ? error : {})
  if (failure.status === 401 && failure.code !== "link_invalid") sessionEnded()
  throw failure
}

const parse = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** A key for a request that must not be done twice. `crypto.randomUUID` exists on https only. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** The query string of the values that are set; lists give several. Empty, or begins with `?`. */
export const queryString = (
  values: Readonly<Record<string, string | number | boolean | ReadonlyArray<string> | undefined>>
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  return query.size === 0 ? "" : `?${query}`
}
