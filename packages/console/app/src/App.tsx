/** Everything that all pages share: queries, language, addresses, messages. */
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { I18nProvider } from "react-aria-components"
import { createBrowserRouter, RouterProvider } from "react-router"
import { basePath, onSessionEnded } from "./data/Api.ts"
import { isTemporary } from "./data/ApiError.ts"
import { sessionKey } from "./data/Session.ts"
import { routes } from "./routes.tsx"
import { LanguageProvider, type Localized } from "./texts/Language.tsx"
import { Toasts } from "./ui/Toasts.tsx"

const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  mutationCache: new MutationCache(),
  defaultOptions: {
    queries: {
      // The live connection renews what changes.
      staleTime: 15_000,
      retry: (failures, error) => isTemporary(error) && failures < 3
    },
    // A change that got no answer may have been made.
    mutations: { retry: false }
  }
})

onSessionEnded(() => queryClient.setQueryData(sessionKey, null))

const router = createBrowserRouter(routes, { basename: basePath })

export const App = ({ localized }: { readonly localized: Localized }) => (
  <QueryClientProvider client={queryClient}>
    <LanguageProvider localized={localized}>
      <I18nProvider locale={localized.locale}>
        <RouterProvider router={router} />
        <Toasts />
      </I18nProvider>
    </LanguageProvider>
  </QueryClientProvider>
)
