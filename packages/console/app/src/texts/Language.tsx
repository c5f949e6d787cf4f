/** The language of the page. Only its texts are loaded. */
import { createContext, type ReactNode, use } from "react"
import type { en } from "./en.ts"

/** Every language has these texts. */
export type Texts = typeof en

export const languages = { en: "English", de: "Deutsch" } as const
export type Language = keyof typeof languages

const load: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import("./en.ts")).en,
  de: async () => (await import("./de.ts")).de
}

const storageKey = "outdial-language"

const isLanguage = (text: string | null | undefined): text is Language =>
  text !== null && text !== undefined && Object.hasOwn(languages, text)

/** What the viewer chose, or the first language of the browser that there is. */
const preferred = (): Language => {
  const chosen = localStorage.getItem(storageKey)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en"
}

export interface Localized {
  readonly language: Language
  readonly texts: Texts
  /** For dates and numbers: the browser's variant of the language, such as en-GB. */
  readonly locale: string
}

export const loadTexts = async (): Promise<Localized> => {
  const language = preferred()
  const texts = await load[language]()
  const locale = navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === language) ?? language
  document.documentElement.lang = language
  return { language, texts, locale }
}

/** Remembers the language and loads the page again. */
export const chooseLanguage = (language: Language): void => {
  localStorage.setItem(storageKey, language)
  location.reload()
}

const LanguageContext = createContext<Localized | undefined>(undefined)

export const LanguageProvider = (
  { children, localized }: { readonly localized: Localized; readonly children: ReactNode }
) => <LanguageContext value={localized}>{children}</LanguageContext>

export const useLocalized = (): Localized => {
  const localized = use(LanguageContext)
  if (localized === undefined) throw new Error("There are no texts here")
  return localized
}

/** The texts of the page's language. */
export const useTexts = (): Texts => useLocalized().texts
