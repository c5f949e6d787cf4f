/** Links of React Aria's components, such as rows of tables, lead through the router. */
import { RouterProvider } from "react-aria-components"
import { Outlet, useHref, useNavigate } from "react-router"
import { useKeptFocus } from "./KeptFocus.ts"

export const Root = () => {
  const navigate = useNavigate()
  useKeptFocus()
  return (
    <RouterProvider navigate={(path) => void navigate(path)} useHref={useHref}>
      <Outlet />
    </RouterProvider>
  )
}
