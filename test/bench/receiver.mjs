// A receiver in a thread of its own: reads a delivery to its end, counts it, answers 204. Posts its port, and the count when
// it is asked.
import { createServer } from "node:http"
import { parentPort } from "node:worker_threads"

let received = 0
const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    received += 1
    response.writeHead(204).end()
  })
})
server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: server.address().port }))
parentPort?.on("message", () => parentPort?.postMessage({ received }))
