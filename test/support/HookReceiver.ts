/** A receiver of webhooks on this machine that keeps what it gets. */
import { Effect } from "effect"
import { createServer } from "node:http"

/** Ends with the scope. */
export const receiver = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly received: Array<{ readonly body: string; readonly headers: Record<string, string> }>
    readonly close: () => void
  }>((resume) => {
    const received: Array<{ readonly body: string; readonly headers: Record<string, string> }> = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => body += text).on("end", () => {
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
        received.push({ body, headers: Object.fromEntries(headers) })
        response.writeHead(204).end()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/hook`, received, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
