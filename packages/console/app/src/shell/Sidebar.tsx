/** The navigation, the account switcher and what concerns the viewer: live state, session, language, colours. */
import { useQueryClient } from "@tanstack/react-query"
import { NavLink, useNavigate } from "react-router"
import { useAccountId } from "../data/Account.ts"
import { request } from "../data/Api.ts"
import { useLiveState } from "../data/LiveQueries.tsx"
import { includesRole, sessionKey, useSession } from "../data/Session.ts"
import { chooseLanguage, type Language, languages, useLocalized, useTexts } from "../texts/Language.tsx"
import { chooseZone, shownZones, useShownZone } from "../texts/ShownZone.ts"
import { Button } from "../ui/Button.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { NativeSelect } from "../ui/NativeSelect.tsx"
import { Brand } from "./Brand.tsx"
import { navigation } from "./Navigation.ts"
import { chooseTheme, themes, useTheme } from "./Theme.ts"

export const Sidebar = () => {
  const { shell } = useTexts()
  return (
    <>
      <Brand />
      <AccountSwitcher />
      <Navigation label={shell.navigation} />
      <div className="sidebar-end">
        <LiveStatus />
        <Viewer />
        <Settings />
      </div>
    </>
  )
}

const AccountSwitcher = () => {
  const { accounts } = useSession()
  const account = useAccountId()
  const navigate = useNavigate()
  const { shell } = useTexts()
  const current = accounts.find(({ id }) => id === account)
  if (accounts.length < 2) {
    return (
      <div className="small muted" style={{ paddingInline: "var(--space-2)" }}>
        <Foreign text={current?.name ?? account} isLine />
      </div>
    )
  }
  return (
    <NativeSelect
      label={shell.account}
      options={accounts.map(({ id, name }) => ({ id, label: name }))}
      value={account}
      onChange={(id) => void navigate(`/${id}/now`)}
    />
  )
}

const Navigation = ({ label }: { readonly label: string }) => {
  const { role } = useSession()
  const account = useAccountId()
  const { shell } = useTexts()
  return (
    <nav className="navigation" aria-label={label}>
      {navigation.map(({ id, items }) => {
        const allowed = items.filter((item) => includesRole(role, item.role ?? "viewer"))
        if (allowed.length === 0) return null
        return (
          <div key={id}>
            <h2>{shell.groups[id]}</h2>
            <ul>
              {allowed.map(({ page, path }) => (
                <li key={path}>
                  <NavLink to={`/${account}/${path}`}>{shell.pages[page]}</NavLink>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

const LiveStatus = () => {
  const state = useLiveState()
  const { shell } = useTexts()
  return <div className="live-state" data-state={state} role="status">{shell.live[state]}</div>
}

const Viewer = () => {
  const { name, role } = useSession()
  const { shell } = useTexts()
  const queryClient = useQueryClient()
  const signOut = async () => {
    await request("session", { method: "DELETE" })
    queryClient.setQueryData(sessionKey, null)
  }
  return (
    <div className="viewer">
      <div>
        <Foreign text={name} isLine />
        <div className="muted">{shell.roles[role]}</div>
      </div>
      <Button tone="quiet" isCompact onPress={() => void signOut()}>{shell.signOut}</Button>
    </div>
  )
}

const Settings = () => {
  const { language, texts: { shell } } = useLocalized()
  const { version } = useSession()
  const theme = useTheme()
  const zone = useShownZone()
  return (
    <div>
      <NativeSelect
        label={shell.language}
        options={Object.entries(languages).map(([id, label]) => ({ id: id as Language, label }))} // the keys of a constant
        value={language}
        onChange={chooseLanguage}
      />
      <NativeSelect
        label={shell.colours}
        options={themes.map((id) => ({ id, label: shell.themes[id] }))}
        value={theme}
        onChange={chooseTheme}
      />
      <NativeSelect
        label={shell.times}
        options={shownZones.map((id) => ({ id, label: shell.zones[id] }))}
        value={zone}
        onChange={chooseZone}
      />
      <div className="version muted">{shell.version(version)}</div>
    </div>
  )
}
