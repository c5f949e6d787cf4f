import type { NodeHandler } from "@outdial/node"
import express from "express"

/** The host's own app, with Outdial below /api: before the body parser, whose limits and errors are not Outdial's. */
export const makeApp = (outdial: NodeHandler["Service"]) => {
  const app = express()
  app.get("/", (_request, response) => {
    response.send("The host's own page")
  })
  app.use("/api", outdial)
  app.use(express.json())
  return app
}
