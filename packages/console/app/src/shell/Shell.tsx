/** The frame of all pages with a session: navigation, account, live state, banners. */
import { Suspense, useState } from "react"
import { Dialog, Modal, ModalOverlay } from "react-aria-components"
import { Navigate, Outlet, useLocation, useParams } from "react-router"
import { basePath } from "../data/Api.ts"
import { LiveProvider } from "../data/LiveQueries.tsx"
import { SessionContext, useSessionQuery } from "../data/Session.ts"
import { useTexts } from "../texts/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { ErrorNotice } from "../ui/ErrorNotice.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { Banners } from "./Banners.tsx"
import { Brand } from "./Brand.tsx"
import { PageErrorBoundary } from "./PageErrorBoundary.tsx"
import { SessionEnded } from "./SessionEnded.tsx"
import { Sidebar } from "./Sidebar.tsx"
import { UnknownAccount } from "./UnknownAccount.tsx"

/** Reads the session, and shows what is below only with one. */
export const SessionGate = () => {
  const query = useSessionQuery()
  if (query.data === null) return <SessionEnded />
  if (query.data !== undefined) {
    return (
      <SessionContext value={query.data}>
        <Outlet />
      </SessionContext>
    )
  }
  return (
    <main className="lone">
      {query.error === null
        ? <Skeleton />
        : <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
    </main>
  )
}

/** `/` leads to the first account. */
export const FirstAccount = () => {
  const accounts = useSessionQuery().data?.accounts ?? []
  const [first] = accounts
  return first === undefined ? <UnknownAccount /> : <Navigate to={`/${first.id}/now`} replace />
}

export const Shell = () => {
  const { account } = useParams()
  const session = useSessionQuery().data
  const texts = useTexts()
  const { pathname } = useLocation()
  if (session?.accounts.some(({ id }) => id === account) !== true) return <UnknownAccount />
  return (
    <LiveProvider key={account}>
      <a
        className="skip-link"
        href={`${basePath.slice(0, -1)}${pathname}#main`}
        onClick={(event) => {
          event.preventDefault()
          document.querySelector<HTMLElement>("#main h1")?.focus()
        }}
      >
        {texts.shell.skip}
      </a>
      <div className="shell">
        <header className="sidebar">
          <Sidebar />
        </header>
        <div className="content">
          <TopBar />
          <Banners />
          <PageErrorBoundary key={pathname}>
            <Suspense
              fallback={
                <main className="page">
                  <Skeleton lines={6} />
                </main>
              }
            >
              <Outlet />
            </Suspense>
          </PageErrorBoundary>
        </div>
      </div>
    </LiveProvider>
  )
}

/** On narrow screens: the button that opens the navigation. */
const TopBar = () => {
  const { shell } = useTexts()
  const { pathname } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  return (
    <header className="top-bar">
      <Brand />
      <Button tone="quiet" aria-label={shell.openMenu} onPress={() => setOpenAt(pathname)}>
        <Icon name="bars" size={20} />
      </Button>
      <ModalOverlay
        className="drawer-backdrop"
        isDismissable
        // Following a link closes it.
        isOpen={openAt === pathname}
        onOpenChange={(isOpen) => setOpenAt(isOpen ? pathname : undefined)}
      >
        <Modal className="drawer">
          <Dialog aria-label={shell.navigation} className="sidebar">
            <Sidebar />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </header>
  )
}
