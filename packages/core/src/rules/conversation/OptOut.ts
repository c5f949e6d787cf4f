/** The wish not to be called again, recognized without a language model. */
import { allWith, type ContactWords, contains, normalized } from "./ContactWords.ts"

/** What has nearly the words of an opt-out and is none, in normalized form. Where words may be an order or a complaint, they are an order. */
const notOptOuts: ReadonlyArray<RegExp> = [
  // The wish to be taken off a do-not-call list: the opposite.
  /\b(?:(?:remove|take|delete|get) (?:me|us|(?:my|this|the) number) )?(?:from|off) (?:of )?(?:\p{L}+ )?(?:do not|dont) call list\b/gu,
  // The wish to leave a list on which others wait.
  /\bwait(?:ing)? list\b|\blista de espera\b|\bliste dattente\b/gu,
  /\b(?:streichen|nehmen|loschen|entfernen) sie (?:\p{L}+ ){1,3}(?:von|aus) (?:\p{L}+ )?warteliste\b/gu,
  // Who does not call, and why not: "I will not call again", "you never call", "why don't you call back?"
  /\b(?:i|we|they|he|she|nobody) (?:\p{L}+ )?(?:do not|dont|did not|didnt|never|not) (?:call|phone|ring|telephone|contact)\b/gu,
  /(?<!\b(?:told|tell|ask|asked|warn|warned|beg) )\byou (?:do not|dont|did not|didnt|never|not) (?:call|phone|ring|telephone|contact)\b(?!(?: \p{L}+){0,4} (?:again|anymore|more)\b)/gu,
  /\bwhy (?:\p{L}+ ){0,2}?(?:dont|didnt|not|never)(?: you)? (?:call|phone|ring|telephone|contact)\b/gu,
  /\bvous ne (?:me |nous |m)?r?appelez jamais\b|\bpourquoi (?:est ce que )?vous ne (?:me |nous |m)?r?appelez plus\b/gu,
  /\b(?:warum|wieso|weshalb) (?:rufen sie|ruft ihr)\b/gu
]

/**
 * Opt-outs by their grammar, in normalized form: a negation with a verb of calling, or the wish to leave a list. No list of phrases has all
 * their wordings. A wish about the time of a call, such as "don't call me before ten", is none.
 */
const patterns: ReadonlyArray<RegExp> = [
  // English
  /\b(?:do not|dont|never|please not|not to|stop|quit) (?:you )?(?:ever )?(?:call|phone|ring|telephone|contact)(?:ing)?(?: (?:me|us|here|up|back|this number|this phone|my number|my phone|at this number|on this number))*(?: ever)? (?:again|any ?more|any longer|ever)\b/u,
  /\b(?:do not|dont|never) (?:you )?(?:ever )?(?:call|phone|ring|telephone|contact)(?: (?:me|us|here|back|this number|my number))*(?: please)? \$/u,
  /\b(?:stop|quit|cease) (?:calling|phoning|ringing|telephoning|contacting|bothering|pestering|harassing)\b/u,
  /\bstop (?:these|the|all|your) (?:\p{L}+ )?calls\b/u,
  /\b(?:do not|dont|no longer) (?:want|wish|like|need) (?:(?:you|anyone|anybody|them|people|your company) to (?:call|phone|ring|contact)|to be (?:called|phoned|contacted))\b(?! (?:me |us )?(?:before|after|at|on|in|during|while|so|now|today|tomorrow|this|right))/u,
  /\b(?:do not|dont) (?:want|wish for|need) (?:any |your |these |more |any of )+(?:more |your |these )*(?:phone )?calls\b(?! (?:before|after|at|on|in|during|until|now|today|tomorrow))/u,
  /\b(?:take|remove|delete|strike|erase|get|scrub) (?:me|us|my (?:phone )?number|my name|my details|this number)(?: \p{L}+){0,1} (?:off|from|out of) (?:of )?(?:\p{L}+ ){0,3}(?:list|lists|database|records|system|books|files)\b/u,
  // Spanish
  /\bno (?:me |nos |le |vuelva a |vuelvan a )*(?:llame|llamen|llames|llamar|llamarme|llamarnos|contacte|contacten|contactarme|telefonee|telefoneen)(?: por favor)? (?:nunca mas|nunca|mas|otra vez|de nuevo|jamas)\b(?! (?:tarde|temprano))/u,
  /\bno (?:me|nos) (?:llame|llamen|llames|contacte|contacten)(?: por favor)? \$/u,
  /\b(?:nunca mas|jamas|nunca) (?:me |nos |vuelva a |vuelvan a )+(?:llame|llamen|llamar|llamarme|contacte|contacten)\b/u,
  /\b(?:deje|dejen|pare|paren) de (?:llamar|llamarme|llamarnos|molestar|molestarme|contactarme)\b/u,
  /\b(?:borre|borren|quite|quiten|elimine|eliminen|saque|saquen)(?:me|nos)? (?:\p{L}+ ){0,3}(?:lista|listas|base de datos)\b/u,
  // French
  /\bne? (?:me |nous |m)?(?:r?appelez|r?appelle|contactez|telephonez)(?: moi| nous)? (?:plus|jamais)\b(?! tard)/u,
  /\bne? (?:me |nous |m)(?:appelez|contactez|telephonez) pas(?: svp| sil vous plait)? \$/u,
  /\b(?:arretez|cessez|stop) (?:de |d)?(?:me |nous |m)?(?:appeler|rappeler|contacter|telephoner|harceler|deranger)\b/u,
  /\b(?:retirez|enlevez|supprimez|effacez|otez|rayez)(?: moi| nous| mon numero| mon nom)? (?:\p{L}+ ){0,3}(?:liste|listes|fichier|fichiers|base)\b/u,
  /\b(?:ne veux|ne souhaite|veux|souhaite) (?:plus|pas) (?:etre |que vous (?:me |m|nous ))(?:appele|appelee|contacte|contactee|rappele|appeliez|rappeliez|contactiez)\b/u,
  // German
  /\b(?:rufen sie|ruf|ruft)(?: mich| uns| hier| bitte| doch| diese nummer)* (?:nicht|nie|niemals)(?: mehr| wieder| noch einmal| nochmal)* an\b/u,
  /\b(?:will|mochte|wunsche) (?:\p{L}+ ){0,2}nicht (?:mehr )?dass sie (?:mich |uns |hier |noch einmal |wieder )*(?:anrufen|zuruckrufen|kontaktieren)\b/u,
  /\b(?:nicht|nie)(?: mehr| wieder)+ (?:angerufen|kontaktiert|zuruckgerufen|belastigt) werden\b/u,
  /\b(?:will|mochte|wunsche) (?:\p{L}+ ){0,2}(?:keine|keinen) (?:weiteren )?(?:anrufe|anruf)(?: mehr)?\b/u,
  /\bhoren sie (?:bitte )?auf (?:\p{L}+ ){0,2}(?:anzurufen|zu belastigen)\b/u,
  /\b(?:streichen|nehmen|loschen|entfernen) sie (?:\p{L}+ ){1,3}(?:von|aus) (?:\p{L}+ ){0,2}(?:liste|kartei|datenbank|verteiler)\b/u,
  // Portuguese
  /\bnao (?:me |nos |volte a |voltem a |torne a )*(?:ligue|liguem|liga|ligar|ligarem|telefone|telefonem|contate|contacte|contactem)(?: por favor)? (?:nunca mais|mais|nunca|outra vez|de novo|novamente)\b(?! (?:tarde|cedo))/u,
  /\bnao me (?:ligue|liguem|liga|telefone|telefonem)(?: por favor)? \$/u,
  /\b(?:pare|parem|deixe|deixem) de (?:me )?(?:ligar|telefonar|contatar|contactar|incomodar|perturbar)\b/u,
  /\b(?:tire|tirem|remova|removam|retire|retirem|apague|apaguem|exclua|excluam)(?: me| o)?(?: \p{L}+){0,2} d[ae](?: \p{L}+){0,2} (?:lista|listas|cadastro|base)\b/u
]

/** A word that is in no phrase. */
const gap = "0"

/**
 * Whether the contact asks not to be called again, in any of the five languages or this one: by a phrase of a list, or by the grammar of
 * the five languages.
 */
export const isOptOut = (text: string, words: ContactWords): boolean => {
  const said = notOptOuts.reduce((rest, pattern) => rest.replaceAll(pattern, gap), normalized(text))
  return Array.from(allWith(words)).some(({ optOut }) => contains(said, optOut)) ||
    patterns.some((pattern) => pattern.test(`${said} $`))
}
