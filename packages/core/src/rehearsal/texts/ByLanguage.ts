/** What our personas say, by language. */
import { english } from "./English.ts"
import { french } from "./French.ts"
import { german } from "./German.ts"
import type { PersonaTexts } from "./PersonaTexts.ts"
import { portuguese } from "./Portuguese.ts"
import { spanish } from "./Spanish.ts"

const texts: Readonly<Record<string, PersonaTexts>> = {
  en: english,
  es: spanish,
  fr: french,
  de: german,
  pt: portuguese
}

/** The languages that our personas speak. */
export const languages: ReadonlyArray<string> = Object.keys(texts)

/** The primary subtag of a language such as `es-MX`. */
export const primaryLanguage = (language = "en"): string => language.toLowerCase().split(/[-_]/u)[0] ?? "en"

/** The texts of a language, which are also those of a persona that has none of its own; `undefined` for languages other than ours. */
export const textsOf = (language: string | undefined): PersonaTexts | undefined => {
  const primary = primaryLanguage(language)
  return Object.hasOwn(texts, primary) ? texts[primary] : undefined
}
