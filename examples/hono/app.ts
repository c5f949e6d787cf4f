import type { WebHandler } from "@outdial/http"
import { Hono } from "hono"

/** The host's app, with Outdial mounted below /api. */
export const makeApp = (outdial: WebHandler["Service"]) => {
  const app = new Hono()
  app.get("/", (context) => context.text("The host's own page"))
  app.all("/api/*", (context) => outdial(context.req.raw))
  return app
}
