/** What our personas say in one language. */

export type Wordings = readonly [string, ...ReadonlyArray<string>]

export interface PersonaTexts {
  /** When it is asked nothing, in order. */
  readonly smallTalk: Wordings
  /** To questions, in order. */
  readonly answers: Wordings
  readonly shortAnswers: Wordings
  readonly longAnswers: Wordings
  /** An answer that is taken back for another, and the word that is left. */
  readonly corrected: { readonly says: string; readonly truth: string }
  readonly busy: Wordings
  readonly callback: Wordings
  readonly refusal: Wordings
  /** Before hanging up at once. */
  readonly notNow: Wordings
  /** Before hanging up in the middle. */
  readonly leaves: Wordings
  readonly wrongPerson: Wordings
  readonly pardon: Wordings
  readonly who: Wordings
  readonly robot: Wordings
  readonly orders: Wordings
  /** Interrupts the agent. */
  readonly waits: Wordings
  readonly knows: Wordings
  /** After a silence. */
  readonly present: Wordings
  readonly optOut: Wordings
}
