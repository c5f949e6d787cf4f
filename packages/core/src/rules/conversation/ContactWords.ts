/**
 * Words of a contact that are recognized without a language model, by language. Words are compared in lower case, without accents and
 * punctuation. Except for attention, a phrase is found anywhere in what was said; `$` stands for the end.
 */

export interface ContactWords {
  /** Attention that can also mean yes. */
  readonly assent: ReadonlyArray<string>
  /** Attention that answers nothing. */
  readonly listening: ReadonlyArray<string>
  /** The contact asks not to be called again. */
  readonly optOut: ReadonlyArray<string>
  /** The contact asks for another call. */
  readonly callback: ReadonlyArray<string>
  /** The contact does not want to talk now. */
  readonly refusal: ReadonlyArray<string>
  /** The contact ends the conversation. */
  readonly goodbye: ReadonlyArray<string>
  /** The contact has not understood. */
  readonly pardon: ReadonlyArray<string>
  /** The answer to whether they are still there. */
  readonly present: ReadonlyArray<string>
  /** A question with one of these among its first words asks for more than yes or no. */
  readonly openQuestion: ReadonlyArray<string>
}

const list = (words: string): ReadonlyArray<string> => words.split("|").map((word) => word.trim())

const english: ContactWords = {
  assent: list("yes|yeah|yep|yup|mhm|mm-hmm|mmhmm|uh-huh|uhuh|uh huh|ok|okay|sure|right|all right|of course"),
  listening: list("mm|mmm|hm|hmm|aha|ah|oh|i see|got it|go on"),
  optOut: list(
    "do not call me again|don't call me again|do not call again|don't call again|do not call this number|don't call this number|" +
      "do not call me any more|don't call me any more|do not call me anymore|don't call me anymore|do not call me $|don't call me $|" +
      "do not ever call|don't ever call|never call me|never call this number|never call again|stop calling|quit calling|" +
      "remove me from your list|remove me from the list|remove my number|take me off your list|take me off the list|" +
      "take my number off|delete my number|do not call list|don't call list|do not contact me again|don't contact me again|" +
      "stop contacting me|stop bothering me|leave me alone|unsubscribe|don't want any more calls|do not want any more calls|" +
      "don't want more calls|no more calls|you ever call|lose my number|forget my number|want to be called any more|" +
      "want to be called anymore|want to be called again"
  ),
  callback: list(
    "call me back|call me later|call back later|call again later|call me tomorrow|call me another time|try again later|ring me later"
  ),
  refusal: list(
    "not now|no time|don't have time|do not have time|i'm busy $|i am busy $|busy right now|bad time|not a good time|not interested|no interest|" +
      "can't talk|cannot talk"
  ),
  goodbye: list("goodbye|good bye|bye|bye bye|see you|have a nice day|have a good day"),
  pardon: list(
    "pardon|what did you say|say that again|say it again|repeat that|can you repeat|could you repeat|can't hear you|didn't hear|did not hear|didn't understand|did not understand|speak up"
  ),
  present: list("i'm here|i am here|still here|hello|hi|listening"),
  openQuestion: list("what|when|where|who|whom|whose|why|which|how")
}

const spanish: ContactWords = {
  assent: list("sí|si|vale|claro|ajá|bueno|de acuerdo|por supuesto"),
  listening: list("ya|ah|eh|oh|mm|mmm|entiendo|ya veo"),
  optOut: list(
    "no me vuelva a llamar|no me vuelvan a llamar|no vuelva a llamar|" +
      "no vuelvan a llamar|no quiero que me llame|no quiero que me llamen|no quiero más llamadas|deje de llamar|dejen de llamar|" +
      "deje de llamarme|dejen de llamarme|bórreme de su lista|bórrenme de su lista|quíteme de su lista|quítenme de su lista|" +
      "elimine mi número|borre mi número|quite mi número|quiten mi número|no quiero recibir más llamadas|déjeme en paz|déjenme en paz"
  ),
  callback: list(
    "llámeme más tarde|llámeme luego|llámeme mañana|vuelva a llamar más tarde|llame más tarde|llamar más tarde|llamarme más tarde|llámeme en otro momento"
  ),
  refusal: list(
    "ahora no|no tengo tiempo|estoy ocupado $|estoy ocupada $|mal momento|no me interesa|no estoy interesado|no estoy interesada|no puedo hablar"
  ),
  goodbye: list("adiós|hasta luego|hasta pronto|chao|chau|que tenga buen día"),
  pardon: list(
    "cómo dice|qué dijo|qué ha dicho|puede repetir|repita|no le oigo|no le escucho|no he entendido|no entiendo|perdón $"
  ),
  present: list("aquí estoy|sigo aquí|estoy aquí|hola|diga|dígame"),
  openQuestion: list("qué|cuándo|dónde|quién|por qué|cuál|cuáles|cómo|cuánto|cuánta|cuántos|cuántas")
}

const french: ContactWords = {
  assent: list("oui|ouais|d'accord|bien sûr|ok|entendu"),
  listening: list("ah bon|ah|euh|hum|mm|mmm|je vois|je comprends"),
  optOut: list(
    "ne m'appelez plus|ne m'appelle plus|ne me rappelez plus|ne rappelez plus|ne me rappelez pas|plus jamais m'appeler|" +
      "arrêtez d'appeler|arrêtez de m'appeler|cessez de m'appeler|cessez d'appeler|ne plus être appelé|ne plus être appelée|" +
      "ne plus être contacté|ne plus être contactée|retirez-moi de votre liste|enlevez-moi de votre liste|" +
      "supprimez mon numéro|effacez mon numéro|laissez-moi tranquille|n'appelez plus|plus recevoir d'appels|plus être contacté|" +
      "plus être contactée|plus que vous m'appeliez|plus qu'on m'appelle"
  ),
  callback: list(
    "rappelez-moi plus tard|rappelez plus tard|rappelez-moi demain|rappelez-moi|rappelez une autre fois|rappeler plus tard|rappeler demain"
  ),
  refusal: list(
    "pas maintenant|pas le temps|je suis occupé $|je suis occupée $|mauvais moment|pas intéressé|pas intéressée|ça ne m'intéresse pas|je ne peux pas parler"
  ),
  goodbye: list("au revoir|à bientôt|bonne journée"),
  pardon: list(
    "pardon|vous pouvez répéter|pouvez-vous répéter|répétez|je n'entends pas|je ne vous entends pas|je n'ai pas compris|je ne comprends pas|comment $"
  ),
  present: list("je suis là|toujours là|allô|bonjour|je vous écoute"),
  openQuestion: list("quoi|qu'est-ce|quand|où|qui|pourquoi|quel|quelle|quels|quelles|comment|combien")
}

const german: ContactWords = {
  assent: list("ja|jaja|jawohl|genau|gut|klar|okay|ok|gerne|in ordnung"),
  listening: list("ach so|aha|hm|hmm|verstehe|mhm"),
  optOut: list(
    "rufen sie mich nicht mehr an|rufen sie nicht mehr an|rufen sie hier nicht mehr an|rufen sie mich nie wieder an|rufen sie nie wieder an|" +
      "ruf mich nicht mehr an|nicht mehr anrufen|nie wieder anrufen|nicht mehr angerufen werden|keine anrufe mehr|" +
      "hören sie auf anzurufen|hören sie auf mich anzurufen|streichen sie mich von|nehmen sie mich von|löschen sie meine nummer|" +
      "löschen sie mich|lassen sie mich in ruhe|rufen sie mich bitte nicht mehr an|rufen sie bitte nicht mehr an|" +
      "rufen sie hier bitte nicht mehr an|rufen sie hier nie wieder an|nehmen sie mich aus|nehmen sie meine nummer aus"
  ),
  callback: list(
    "rufen sie später|rufen sie mich später|rufen sie morgen|rufen sie mich morgen|rufen sie mich zurück|mich zurückrufen|später zurückrufen|morgen zurückrufen|rufen sie noch einmal an|ein andermal"
  ),
  refusal: list(
    "jetzt nicht|gerade nicht|keine zeit|bin beschäftigt $|ungünstig|passt gerade nicht|kein interesse|nicht interessiert|interessiert mich nicht|kann nicht sprechen"
  ),
  goodbye: list("auf wiederhören|auf wiedersehen|tschüss|tschüs|tschau|ciao|schönen tag"),
  pardon: list(
    "wie bitte|noch einmal bitte|nochmal bitte|können sie das wiederholen|wiederholen sie|ich höre sie nicht|nicht verstanden|was haben sie gesagt"
  ),
  present: list("ich bin da|bin noch da|noch da|hallo|ich höre"),
  openQuestion: list(
    "was|wann|wo|wohin|woher|wer|wen|wem|wessen|warum|wieso|weshalb|welche|welcher|welches|welchen|welchem|wie|wieviel|wieviele"
  )
}

const portuguese: ContactWords = {
  assent: list("sim|tá|tá bom|certo|claro|pois|ok|com certeza"),
  listening: list("pois é|ah|hum|mm|mmm|entendi|entendo|sei"),
  optOut: list(
    "não volte a ligar|não voltem a ligar|" +
      "não quero mais ligações|não quero receber ligações|não quero que me liguem|não quero que me ligue|pare de ligar|parem de ligar|" +
      "pare de me ligar|parem de me ligar|remova-me da sua lista|retire-me da sua lista|me tire da lista|me tire da sua lista|" +
      "me remova da lista|apague meu número|apague o meu número|me deixe em paz|deixe-me em paz|não quero mais chamadas|" +
      "não quero receber mais chamadas|não quero receber mais ligações|nunca mais ligue|nunca mais liguem|nunca mais me ligue|nunca mais me liguem"
  ),
  callback: list(
    "me ligue mais tarde|ligue mais tarde|ligue-me mais tarde|ligue amanhã|me ligue amanhã|ligue outra hora|me liga depois|ligue depois|ligar mais tarde|ligar amanhã"
  ),
  refusal: list(
    "agora não|não tenho tempo|sem tempo|estou ocupado $|estou ocupada $|não posso falar|não tenho interesse|não me interessa|não estou interessado|não estou interessada"
  ),
  goodbye: list("tchau|adeus|até logo|até mais|até breve|tenha um bom dia"),
  pardon: list(
    "como disse|o que disse|pode repetir|repita|não estou ouvindo|não ouvi|não entendi|não percebi|desculpe $"
  ),
  present: list("estou aqui|ainda estou|alô|olá|estou ouvindo"),
  openQuestion: list(
    "o que|em que|de que|a que|quê|quando|onde|quem|por que|porque|porquê|qual|quais|como|quanto|quanta|quantos|quantas"
  )
}

export const byLanguage: Readonly<Record<"en" | "es" | "fr" | "de" | "pt", ContactWords>> = {
  en: english,
  es: spanish,
  fr: french,
  de: german,
  pt: portuguese
}

const languages = Object.values(byLanguage)

/** The five languages and this one. */
export const allWith = (words: ContactWords | undefined): ReadonlySet<ContactWords> =>
  new Set(words === undefined ? languages : [...languages, words])

/** Whether the words only show that the contact listens, in any of the five languages or this one. While the agent speaks they do not interrupt it. */
export const isBackchannel = (text: string, words?: ContactWords): boolean => {
  const said = normalized(text)
  return said !== "" &&
    Array.from(allWith(words)).some(({ assent, listening }) => consistsOf(said, assent, listening))
}

/** Whether the words show attention and answer nothing, not even a question for yes or no. */
export const answersNothing = (text: string, words: ContactWords): boolean =>
  consistsOf(normalized(text), words.listening)

export const isCallback = (text: string, words: ContactWords): boolean => contains(text, words.callback)

export const isRefusal = (text: string, words: ContactWords): boolean => contains(text, words.refusal)

export const isGoodbye = (text: string, words: ContactWords): boolean => contains(text, words.goodbye)

/** Whether the contact has not understood the question. */
export const isPardon = (text: string, words: ContactWords): boolean => contains(text, words.pardon)

/** Whether the words only say that the contact is there. */
export const isPresence = (text: string, words: ContactWords): boolean =>
  consistsOf(normalized(text), words.present, words.assent, words.listening)

/** Whether the words are a goodbye and nothing else. */
export const isOnlyGoodbye = (text: string, words: ContactWords): boolean =>
  consistsOf(normalized(text), words.goodbye, words.assent, words.listening)

/** Whether the question asks for more than yes or no: it has a question word among its first four words. */
export const isOpenQuestion = (question: string, words: ContactWords): boolean =>
  found(spaced(question).split(" ").slice(0, 4).join(" "), words.openQuestion.map(spaced))

/** Whether one of the phrases is found in what was said, in whole words. */
export const contains = (text: string, phrases: ReadonlyArray<string>): boolean =>
  phrases.length > 0 && found(normalized(text), normalForms(phrases))

const found = (said: string, phrases: ReadonlyArray<string>): boolean => {
  const words = ` ${said} $ `
  return phrases.some((phrase) => phrase !== "" && words.includes(` ${phrase} `))
}

/** Whether the words are phrases of these lists and nothing else, such as "yes, okay". Long words are an answer. */
const consistsOf = (said: string, ...lists: ReadonlyArray<ReadonlyArray<string>>): boolean =>
  said === "" ||
  said.length <= 60 && lists.some((phrases) =>
      normalForms(phrases).some((phrase) =>
        said === phrase || (said.startsWith(`${phrase} `) && consistsOf(said.slice(phrase.length + 1), ...lists))
      )
    )

/** Lower case; an apostrophe joins, other punctuation separates. */
const spaced = (text: string): string =>
  text.toLowerCase().replaceAll(/['’]/gu, "").replaceAll(/[^\p{L}\p{M}\p{N}$]+/gu, " ").trim()

/** Lower case, without accents and punctuation. */
export const normalized = (text: string): string => spaced(text.normalize("NFD").replaceAll(/[\u0300-\u036f]/gu, ""))

const known = new WeakMap<ReadonlyArray<string>, ReadonlyArray<string>>()

/** The phrases of a list in normalized form. Made once for each list: for every word of a contact it would take a millisecond. */
const normalForms = (phrases: ReadonlyArray<string>): ReadonlyArray<string> => {
  const forms = known.get(phrases) ?? phrases.map(normalized)
  known.set(phrases, forms)
  return forms
}
