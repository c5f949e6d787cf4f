/** What is said in a conversation without a language model, by language: by the engine, and by the scripted agent. */
import { byLanguage as wordsByLanguage, type ContactWords } from "./ContactWords.ts"

export interface Phrases {
  /** While the agent needs longer for its answer. */
  readonly filler: string
  /** When the contact has been silent. */
  readonly prompt: string
  /** When the agent cannot go on. */
  readonly fallback: string
  /** At the end. */
  readonly goodbye: string
  /** Before a question that is asked again. */
  readonly repeat: string
  /** When the contact has asked not to be called again. */
  readonly optedOut: string
  /** When the contact has asked for another call. */
  readonly callback: string
  /** When the contact does not want to talk now. */
  readonly refused: string
  /** What is recognized in the contact's words. */
  readonly words: ContactWords
}

/** Phrases by the primary subtag of a language, such as `it`. */
export type PhrasesByLanguage = Readonly<Record<string, Phrases>>

const english: Phrases = {
  filler: "One moment, please.",
  prompt: "Are you still there?",
  fallback: "I am sorry, I have a technical problem. We will get back to you. Goodbye.",
  goodbye: "Thank you for your time. Goodbye.",
  repeat: "Sorry, I did not catch that.",
  optedOut: "I understand. We will not call you again. Goodbye.",
  callback: "Of course, I have noted that. Goodbye.",
  refused: "I understand. Sorry to have disturbed you. Goodbye.",
  words: wordsByLanguage.en
}

/** By the primary subtag of the language. */
export const byLanguage: PhrasesByLanguage = {
  en: english,
  es: {
    filler: "Un momento, por favor.",
    prompt: "¿Sigue ahí?",
    fallback: "Lo siento, tengo un problema técnico. Le volveremos a llamar. Adiós.",
    goodbye: "Gracias por su tiempo. Adiós.",
    repeat: "Disculpe, no le he entendido.",
    optedOut: "Entendido. No volveremos a llamarle. Adiós.",
    callback: "Por supuesto, lo he anotado. Adiós.",
    refused: "Entiendo. Disculpe la molestia. Adiós.",
    words: wordsByLanguage.es
  },
  fr: {
    filler: "Un instant, s'il vous plaît.",
    prompt: "Êtes-vous toujours là ?",
    fallback: "Je suis désolé, j'ai un problème technique. Nous vous recontacterons. Au revoir.",
    goodbye: "Merci pour votre temps. Au revoir.",
    repeat: "Pardon, je n'ai pas compris.",
    optedOut: "C'est entendu. Nous ne vous appellerons plus. Au revoir.",
    callback: "Bien sûr, c'est noté. Au revoir.",
    refused: "Je comprends. Excusez-moi de vous avoir dérangé. Au revoir.",
    words: wordsByLanguage.fr
  },
  de: {
    filler: "Einen Moment, bitte.",
    prompt: "Sind Sie noch da?",
    fallback: "Es tut mir leid, ich habe ein technisches Problem. Wir melden uns wieder. Auf Wiederhören.",
    goodbye: "Vielen Dank für Ihre Zeit. Auf Wiederhören.",
    repeat: "Entschuldigung, das habe ich nicht verstanden.",
    optedOut: "Verstanden. Wir rufen Sie nicht mehr an. Auf Wiederhören.",
    callback: "Gerne, das habe ich notiert. Auf Wiederhören.",
    refused: "Ich verstehe. Entschuldigen Sie die Störung. Auf Wiederhören.",
    words: wordsByLanguage.de
  },
  pt: {
    filler: "Um momento, por favor.",
    prompt: "Ainda está aí?",
    fallback: "Desculpe, estou com um problema técnico. Entraremos em contato novamente. Até logo.",
    goodbye: "Obrigado pelo seu tempo. Até logo.",
    repeat: "Desculpe, não entendi.",
    optedOut: "Entendido. Não ligaremos mais para você. Até logo.",
    callback: "Claro, já anotei. Até logo.",
    refused: "Entendo. Desculpe o incômodo. Até logo.",
    words: wordsByLanguage.pt
  }
}

/** The phrases of a language tag such as `es-MX`: your own, else ours; English for languages that neither has. */
export const phrasesOf = (language: string | undefined, own: PhrasesByLanguage = {}): Phrases => {
  const primary = (language ?? "en").toLowerCase().split(/[-_]/u)[0] ?? "en"
  return [own, byLanguage].find((phrases) => Object.hasOwn(phrases, primary))?.[primary] ?? english
}
