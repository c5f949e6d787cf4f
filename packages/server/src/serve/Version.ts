/** The version of this package, from its package.json. */
import { createRequire } from "node:module"

// The same path from `src` and from `dist`.
const { version: stated }: { readonly version: string } = createRequire(import.meta.url)("../../package.json")

export const version = stated
