/** The `{{placeholders}}` of a script, as text: where each placeholder is, and its key. `rules/Script` fills them. */
const pattern = /\{\{([^{}]*)\}\}/g

/** Keys that every call fills from its contact; empty when the contact lacks them. */
export const builtIn = ["contact.name", "contact.email", "contact.external_id"] as const

/** The form of a variable key (spec §8), in ASCII letters. */
export const variableKey = /^[A-Za-z][A-Za-z0-9_ ]{0,39}$/u

/** The distinct keys in the order of their first use; spaces inside the braces do not count. */
export const placeholders = (script: string): ReadonlyArray<string> => [
  ...new Set(Array.from(script.matchAll(pattern), (match) => (match[1] ?? "").trim()))
]

/** Whether a call can give this key a value. */
export const isFillable = (key: string): boolean => isBuiltIn(key) || variableKey.test(key)

export const isBuiltIn = (key: string): boolean => builtIn.some((name) => name === key)

/** The script with every placeholder replaced by the `valueOf` its key. */
export const replace = (script: string, valueOf: (key: string) => string): string =>
  script.replace(pattern, (_, key: string) => valueOf(key.trim()))

const beforePunctuation = /[ \t]+(\{\{([^{}]*)\}\})(?=[,.;:!?])/g

/** The script without the blanks before the placeholders that will be empty, where punctuation follows. */
export const withoutGaps = (script: string, isEmpty: (key: string) => boolean): string =>
  script.replace(beforePunctuation, (gap, placeholder: string, key: string) => isEmpty(key.trim()) ? placeholder : gap)
