import type { NodeHandler } from "@outdial/node"
import fastify from "fastify"

/** The host's app, with Outdial mounted below /api. */
export const makeApp = (outdial: NodeHandler["Service"]) => {
  const app = fastify()
  app.get("/", () => "The host's own page")
  // This hook runs before Fastify reads the body, so that Outdial can read it.
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.url.startsWith("/api/")) return done()
    reply.hijack()
    outdial(request.raw, reply.raw)
  })
  return app
}
