import { Telephony } from "@outdial/core"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

const read = (body: string) => JSON.parse(body, (key, value) => /^at$|At$/.test(key) ? new Date(value) : value)

// Nothing was sent where no connection was made. Everything else may have arrived, and stays an error.
const refusedConnection = (error: Error & { readonly cause?: { readonly code?: string } }) => {
  if (error.cause?.code === "ECONNREFUSED") return undefined
  throw error
}

export const ourTelephony = (url: string) =>
  Telephony.Telephony.layerOf(async (line) => {
    const callbacks = createServer(async (request, response) => {
      const taken = await text(request).then((body) => line.report(read(body))).then(() => true, () => false)
      response.writeHead(taken ? 204 : 503).end() // After 503 the carrier tells it again.
    })
    await new Promise<void>((listening) => callbacks.listen(0, "127.0.0.1", listening))
    const callback = `http://127.0.0.1:${(callbacks.address() as AddressInfo).port}`
    return {
      name: "ours",
      notFoundLagSeconds: 5,
      dial: async ({ accountId, agent: { script }, callId, phoneNumber }, { mayStillRing, signal }) => {
        const body = JSON.stringify({ accountId, callId, phoneNumber, script, callback })
        if (!mayStillRing()) return { failed: "unavailable" }
        const response = await fetch(`${url}/calls`, { method: "POST", body, signal }).catch(refusedConnection)
        if (response === undefined || response.status === 503) return { failed: "unavailable" }
        if (response.status === 422) return { failed: "refused" }
        return { carrierCallId: read(await response.text()).id }
      },
      lookUp: async ({ callId }, { signal }) => {
        const response = await fetch(`${url}/calls/${callId}`, { signal })
        return response.status === 404 ? { status: "not_found" } : read(await response.text())
      },
      hangUp: async ({ callId }, { signal }) => {
        await fetch(`${url}/calls/${callId}`, { method: "DELETE", signal })
      },
      close: () => void callbacks.close()
    }
  })
