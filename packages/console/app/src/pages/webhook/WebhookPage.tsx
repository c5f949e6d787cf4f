/** Where events are sent, the secret that signs them, and every delivery. */
import { useState } from "react"
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components"
import { useAccountQuery } from "../../data/Account.ts"
import { ApiError } from "../../data/ApiError.ts"
import { useIsAllowed } from "../../data/Session.ts"
import type { Webhook } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { Endpoint } from "./Endpoint.tsx"
import { EndpointForm } from "./EndpointForm.tsx"
import { SecretNotice } from "./SecretNotice.tsx"
import "./webhook.css"

export const Component = () => {
  const { shell, webhook } = useTexts()
  return (
    <Page title={shell.pages.webhook}>
      {useIsAllowed("operator")
        ? (
          <Tabs className="tabs">
            <TabList aria-label={shell.pages.webhook}>
              <Tab id="endpoint">{webhook.endpoint}</Tab>
              <Tab id="deliveries">{webhook.deliveries}</Tab>
            </TabList>
            <TabPanel id="endpoint">
              <Settings />
            </TabPanel>
            <TabPanel id="deliveries">
              <Deliveries />
            </TabPanel>
          </Tabs>
        )
        : <p>{webhook.forOperators}</p>}
    </Page>
  )
}

/** The endpoint, or the form that sets the first one. */
const Settings = () => {
  const { webhook } = useTexts()
  const isAdmin = useIsAllowed("admin")
  // Shown once: the server never returns it again.
  const [secret, setSecret] = useState<string>()
  const query = useAccountQuery<Webhook>("webhook", "v1/webhook")
  const isMissing = query.error instanceof ApiError && query.error.status === 404
  return (
    <div className="stack">
      {secret !== undefined && <SecretNotice secret={secret} onClose={() => setSecret(undefined)} />}
      {isMissing
        ? isAdmin
          ? (
            <Card title={webhook.endpoint}>
              <p className="muted">{webhook.help}</p>
              <EndpointForm onSecret={setSecret} />
            </Card>
          )
          : <p>{webhook.none}</p>
        : query.data !== undefined
        ? <Endpoint webhook={query.data} onSecret={setSecret} />
        : query.error !== null
        ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        : <Skeleton lines={4} />}
    </div>
  )
}
