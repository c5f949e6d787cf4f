/** The version of this package, which its package.json alone states. */
import { createRequire } from "node:module"

// The same path from `src` and from `dist`.
const { version: stated }: { readonly version: string } = createRequire(import.meta.url)("../../package.json")

export const version = stated
