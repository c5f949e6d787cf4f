import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

/** React Aria has its own few texts in 34 languages. Only those of the page's languages are loaded. */
const languagesOfThePage: Plugin = {
  name: "languages-of-the-page",
  transform: {
    filter: { id: /\/intl\/.*\/[a-z]{2}-[A-Z]{2}\.m?js$/ },
    handler: (_, id) => /\/(en-US|de-DE)\.m?js$/.test(id) ? undefined : { code: "export default undefined", map: null }
  }
}

// The server adds a <base> for the path below which it serves the page, so that all addresses are relative.
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react(), languagesOfThePage],
  build: {
    outDir: "../pages",
    emptyOutDir: true,
    target: "es2023",
    // Nothing is inlined: the content security policy allows neither inline scripts nor data: URLs.
    assetsInlineLimit: 0
  },
  server: { proxy: { "/console/api": "http://127.0.0.1:4010" } }
})
