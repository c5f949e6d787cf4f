/** The addresses of the pages. Each page is a chunk of its own, which is loaded when it is opened. */
import type { ReactNode } from "react"
import type { RouteObject } from "react-router"
import { part } from "./data/Part.ts"
import { LinkPage } from "./shell/LinkPage.tsx"
import { NotFound } from "./shell/NotFound.tsx"
import { PageFailed } from "./shell/PageErrorBoundary.tsx"
import { Root } from "./shell/Root.tsx"
import { FirstAccount, SessionGate, Shell } from "./shell/Shell.tsx"

const page = (load: () => Promise<{ readonly Component: () => ReactNode }>) =>
  part(async () => (await load()).Component)

/** Below an account; add a page here and in `shell/Navigation.ts`. */
const pages = [
  ["now", page(() => import("./pages/now/NowPage.tsx"))],
  ["calls", page(() => import("./pages/calls/CallsPage.tsx"))],
  ["calls/:id", page(() => import("./pages/call/CallPage.tsx"))],
  ["batches", page(() => import("./pages/batches/BatchesPage.tsx"))],
  ["batches/new", page(() => import("./pages/batches/NewBatchPage.tsx"))],
  ["batches/:id", page(() => import("./pages/batches/BatchPage.tsx"))],
  ["agents", page(() => import("./pages/agents/AgentsPage.tsx"))],
  ["agents/new", page(() => import("./pages/agents/NewAgentPage.tsx"))],
  ["agents/:id", page(() => import("./pages/agents/AgentPage.tsx"))],
  ["hours", page(() => import("./pages/hours/HoursPage.tsx"))],
  ["do-not-call", page(() => import("./pages/do-not-call/DoNotCallPage.tsx"))],
  ["webhook", page(() => import("./pages/webhook/WebhookPage.tsx"))],
  ["keys", page(() => import("./pages/keys/KeysPage.tsx"))],
  ["usage", page(() => import("./pages/usage/UsagePage.tsx"))],
  ["accounts", page(() => import("./pages/accounts/AccountsPage.tsx"))],
  ["sessions", page(() => import("./pages/sessions/SessionsPage.tsx"))],
  ["audit", page(() => import("./pages/audit/AuditPage.tsx"))]
] as const

export const routes: Array<RouteObject> = [
  {
    Component: Root,
    ErrorBoundary: () => <PageFailed error={undefined} />,
    children: [
      { path: "link", Component: LinkPage },
      {
        Component: SessionGate,
        children: [
          { index: true, Component: FirstAccount },
          {
            path: ":account",
            Component: Shell,
            children: [
              ...pages.map(([path, Component]) => ({ path, Component })),
              { path: "*", Component: NotFound }
            ]
          }
        ]
      }
    ]
  }
]
