/** Opt-outs in wordings that were written without a look at what is recognized, and words that are none. */
import { assert, describe, it } from "@effect/vitest"
import { isOptOut } from "../../../src/rules/conversation/OptOut.ts"
import { scriptedAnswer } from "../../../src/rules/conversation/ScriptedAnswer.ts"
import { phrasesOf } from "../../../src/rules/conversation/Phrases.ts"

const { words } = phrasesOf("en")

const optOuts: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "I told you, don't call me again.",
    "You do not call me again, understood?",
    "I asked you not to call again.",
    "Don't you ever call me.",
    "Could you please not call again?",
    "Do not call me back.",
    "Please don't call us again.",
    "Don't call here again.",
    "Take me off your call list.",
    "Remove me from your calling list.",
    "Never contact me again.",
    "I don't want you to call me.",
    "Please stop phoning me.",
    "Don't call back.",
    "Please don't ring me any more, okay?",
    "I told you people to quit calling here.",
    "Stop these calls right now.",
    "I do not wish to be contacted.",
    "I no longer want you to call.",
    "Delete my number from your database, please.",
    "Get me off this list.",
    "Don't you ever phone this number again.",
    "We don't want any of your calls.",
    "Strike my name from your records.",
    "Would you please stop contacting us?",
    "I don't want to be called.",
    "Do not telephone me.",
    "Goodbye, and don't call me again.",
    "Cease calling this number."
  ],
  es: [
    "No me llame nunca más.",
    "Por favor, no nos llamen más.",
    "No vuelva a llamarme otra vez.",
    "Jamás me vuelvan a llamar.",
    "Paren de molestarme.",
    "No me contacten más, por favor.",
    "Sáquenme de esa lista.",
    "Quítenos de su base de datos.",
    "No me llames.",
    "Dejen ya de llamar, deje de molestar."
  ],
  fr: [
    "Ne m'appelez pas.",
    "Ne nous appelez plus, s'il vous plaît.",
    "Ne me contactez plus jamais.",
    "Arrêtez de nous déranger.",
    "Cessez de me téléphoner.",
    "Je ne veux plus que vous m'appeliez.",
    "Je ne souhaite plus être contactée.",
    "Retirez mon numéro de vos fichiers.",
    "Rayez-moi de cette liste.",
    "N'appelez plus jamais ici."
  ],
  de: [
    "Rufen Sie nicht wieder an.",
    "Rufen Sie uns bitte nie mehr an.",
    "Ruf hier nicht noch einmal an.",
    "Ich will nicht, dass Sie mich zurückrufen.",
    "Ich möchte nicht mehr kontaktiert werden.",
    "Ich wünsche keine weiteren Anrufe.",
    "Hören Sie bitte auf, uns anzurufen.",
    "Entfernen Sie meine Nummer aus der Datenbank.",
    "Streichen Sie uns aus Ihrer Kartei.",
    "Ich möchte keine Anrufe mehr."
  ],
  pt: [
    "Você não me liga mais!",
    "Não me ligue.",
    "Não nos liguem nunca mais.",
    "Por favor, não volte a ligar de novo.",
    "Parem de me incomodar.",
    "Deixem de ligar para cá.",
    "Tire o meu número da lista.",
    "Removam-me do vosso cadastro, retirem da lista.",
    "Não me contactem mais.",
    "Não telefone outra vez.",
    "Exclua meu nome da sua base."
  ]
}

const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "Why don't you call back?",
    "Why don't you call again tomorrow?",
    "Why did you not call again?",
    "You never call.",
    "I never call again when nobody answers.",
    "They don't call any more.",
    "We do not call here ever.",
    "Please take me off the waiting list.",
    "I don't want any calls before ten.",
    "I will not call again, you have to call me.",
    "Don't call me before ten in the morning.",
    "Do not ring me at work, call my mobile.",
    "Could you call me back tomorrow?",
    "Don't call me a liar.",
    "I never call the clinic myself.",
    "You can call me again next week.",
    "I don't want you to call at night, call in the morning.",
    "Don't call an ambulance, I am fine.",
    "I did not call you, did I?",
    "Please remove the appointment from my calendar.",
    "My phone doesn't ring at all.",
    "Never mind, call whenever you like.",
    "I don't want to call the doctor for that.",
    "Don't contact my wife, talk to me."
  ],
  es: [
    "¿Por qué no me llaman nunca?",
    "Bórreme de la lista de espera.",
    "No quiero llamadas por la noche, llámeme por la mañana.",
    "Llámeme más tarde, por favor.",
    "No me llame antes de las diez.",
    "No me llamo Juan.",
    "No llame más tarde de las ocho.",
    "No puedo llamar ahora."
  ],
  fr: [
    "Vous ne m'appelez jamais.",
    "Pourquoi vous ne me rappelez plus ?",
    "Retirez-moi de la liste d'attente.",
    "Rappelez-moi plus tard.",
    "Ne m'appelez pas avant dix heures.",
    "Je ne m'appelle pas Durand.",
    "N'appelez pas le matin, plutôt le soir.",
    "Je ne veux pas que ce soit trop tôt."
  ],
  de: [
    "Warum rufen Sie mich nicht an?",
    "Sie haben mich nicht mehr angerufen.",
    "Ich wurde nie wieder angerufen.",
    "Rufen Sie mich heute nicht an, sondern morgen.",
    "Streichen Sie mich von der Warteliste.",
    "Rufen Sie mich bitte morgen an.",
    "Rufen Sie nicht vor zehn Uhr an.",
    "Ich habe Sie nicht angerufen.",
    "Ich möchte nicht mehr warten.",
    "Können Sie mich zurückrufen?"
  ],
  pt: [
    "Por que não me ligam?",
    "Tire o meu nome da lista de espera.",
    "Ligue mais tarde, por favor.",
    "Não me ligue antes das dez.",
    "Não ligue mais tarde que as oito.",
    "Eu não liguei para a clínica.",
    "Pode me ligar de novo amanhã."
  ]
}

describe("an opt-out", () => {
  for (const [language, texts] of Object.entries(optOuts)) {
    it.each(texts)(`in ${language}: %s`, (text) => assert.isTrue(isOptOut(text, words)))
  }

  for (const [language, texts] of Object.entries(others)) {
    it.each(texts)(`in ${language} is not: %s`, (text) => assert.isFalse(isOptOut(text, words)))
  }

  it("is not taken for the wish for another call", () => {
    const brief = { questions: ["Will you come?"], script: "Hello" }
    const input = { _tag: "Words", text: "Do not call me back." } as const
    const [first] = scriptedAnswer(brief, phrasesOf("en"), input, [])
    assert.deepStrictEqual(first, { _tag: "Note", note: { _tag: "OptOut" } })
  })
})
