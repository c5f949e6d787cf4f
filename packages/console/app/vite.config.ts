import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

// The server adds a <base> for the path below which it serves the page, so that all addresses are relative.
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  build: {
    outDir: "../pages",
    emptyOutDir: true,
    target: "es2023",
    // Nothing is inlined: the content security policy allows neither inline scripts nor data: URLs.
    assetsInlineLimit: 0
  },
  server: { proxy: { "/console/api": "http://127.0.0.1:4010" } }
})
