import type { HostUser } from "@outdial/console"
import express, { type Request, type RequestHandler } from "express"

/** Your application's own users, by its own session. */
export type UserOf = (request: Request) => { readonly name: string; readonly isAdmin: boolean } | undefined

/** What a user of the application may do in the console; `undefined` for those who are not signed in. */
export const authenticate = (userOf: UserOf) => (request: Request): HostUser | undefined => {
  const user = userOf(request)
  return user === undefined ? undefined : { name: user.name, role: user.isAdmin ? "admin" : "viewer" }
}

/** The application, with the console at /admin/calls: `await Console.node(engine, { basePath: "/admin/calls", authenticate })`. */
export const makeApp = (console: RequestHandler) => {
  const app = express()
  app.use("/admin/calls", console)
  app.use(express.json())
  return app
}
