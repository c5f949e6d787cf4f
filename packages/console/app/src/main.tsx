import "./style/tokens.css"
import "./style/base.css"
import "./style/buttons.css"
import "./style/content.css"
import "./style/forms.css"
import "./style/overlays.css"
import "./style/tables.css"
import "./style/shell.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
import { applyTheme } from "./shell/Theme.ts"
import { loadTexts } from "./texts/Language.tsx"

applyTheme()
const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
const localized = await loadTexts()
createRoot(root).render(
  <StrictMode>
    <App localized={localized} />
  </StrictMode>
)
