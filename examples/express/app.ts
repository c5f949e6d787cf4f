import type { NodeHandler } from "@outdial/node"
import express from "express"

/** The host's app, with Outdial mounted below /api, before the body parser with its own limits and errors. */
export const makeApp = (outdial: NodeHandler["Service"]) => {
  const app = express()
  app.get("/", (_request, response) => {
    response.send("The host's own page")
  })
  app.use("/api", outdial)
  app.use(express.json())
  return app
}
