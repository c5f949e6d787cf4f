import { Telephony } from "@outdial/core"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

const read = (body: string) => JSON.parse(body, (key, value) => /^at$|At$/.test(key) ? new Date(value) : value)

// Without a connection nothing was sent. After any other error the request may have arrived, so it stays an error.
const refusedConnection = (error: Error & { readonly cause?: { readonly code?: string } }) => {
  if (error.cause?.code === "ECONNREFUSED") return undefined
  throw error
}

export const ourTelephony = (url: string) =>
  Telephony.Telephony.layerOf(async (line) => {
    // The audio is stored before the end is reported, because the report says whether a recording exists.
    const withAudio = async (call: Telephony.HostCallKey, { recording, ...told }: ReturnType<typeof read>) => {
      const audio = recording === undefined ? undefined : await fetch(`${url}${recording}`)
      if (audio?.ok !== true) return told
      const bytes = new Uint8Array(await audio.arrayBuffer())
      return { ...told, recorded: await line.keepRecording(call, { mediaType: "audio/wav", bytes }) }
    }
    const report = async ({ event, ...call }: ReturnType<typeof read>) =>
      line.report({ ...call, event: await withAudio(call, event) })

    const callbacks = createServer(async (request, response) => {
      const taken = await text(request).then((body) => report(read(body))).then(() => true, () => false)
      response.writeHead(taken ? 204 : 503).end() // After 503 the carrier repeats the report.
    })
    await new Promise<void>((listening) => callbacks.listen(0, "127.0.0.1", listening))
    const callback = `http://127.0.0.1:${(callbacks.address() as AddressInfo).port}`
    return {
      name: "ours",
      notFoundLagSeconds: 5,
      dial: async ({ accountId, agent: { script }, callId, callerId, phoneNumber }, { mayStillRing, signal }) => {
        const body = JSON.stringify({ accountId, callId, callerId, phoneNumber, script, callback })
        if (!mayStillRing()) return { failed: "unavailable" }
        const response = await fetch(`${url}/calls`, { method: "POST", body, signal }).catch(refusedConnection)
        if (response === undefined || response.status === 503) return { failed: "unavailable" }
        if (response.status === 422) return { failed: "refused", carrierReason: read(await response.text()) }
        return { carrierCallId: read(await response.text()).id }
      },
      lookUp: async ({ accountId, callId }, { signal }) => {
        const response = await fetch(`${url}/calls/${callId}`, { signal })
        if (response.status === 404) return { status: "not_found" }
        return withAudio({ accountId, callId }, read(await response.text()))
      },
      hangUp: async ({ callId }, { signal }) => {
        const response = await fetch(`${url}/calls/${callId}`, { method: "DELETE", signal })
        if (!response.ok && response.status !== 404) throw new Error(`The carrier answered ${response.status}`)
      },
      close: () => void callbacks.close()
    }
  })
