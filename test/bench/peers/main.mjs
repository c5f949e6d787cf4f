// One peer in its own process, like the engine's nodes. It gets requests as messages and answers with figures.
import process from "node:process"

const { make } = await import(`./${process.argv[2]}.mjs`)
const peer = await make(process.argv[3])

process.on("message", async ({ count, task }) => {
  try {
    process.send?.({ value: await peer[task](count) })
  } catch (error) {
    process.send?.({ error: `${error.stack}` })
  }
})
// The parent has ended.
process.on("disconnect", () => process.exit())
process.send?.({ value: "ready" })
