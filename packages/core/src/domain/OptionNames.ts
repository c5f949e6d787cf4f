/**
 * Refuses unknown options of functions. A misspelled option would otherwise be ignored, and its default would apply. Options
 * inside requests are refused by their schemas (`Decoding`).
 */
import { InvalidRequest } from "./Errors.ts"
import { unknownNames } from "./NearestName.ts"

/** Every name of the options; TypeScript reports one that is missing. */
export type Names<Options> = { readonly [Name in keyof Options]-?: true }

/** The problems of the options' names, with the names that were probably meant; `undefined` without problems. */
export const problemOf = <Options extends object>(
  options: Options,
  names: Names<Options>,
  noun = "option"
): InvalidRequest | undefined => {
  const [first, ...others] = unknownNames(options, names, noun)
  return first === undefined ? undefined : new InvalidRequest({ problems: [first, ...others] })
}

/** Throws `InvalidRequest` for an unknown option. Inside a layer this is a defect, with which `Outdial.open` rejects. */
export const checkUnsafe = <Options extends object>(options: Options, names: Names<Options>, noun?: string): void => {
  const problem = problemOf(options, names, noun)
  if (problem !== undefined) throw problem
}

/** The same for an object of functions. Instances of classes may have fields of their own, so only plain objects are checked. */
export const checkPlainUnsafe = <Options extends object>(
  options: Options,
  names: Names<Options>,
  noun?: string
): void => {
  if (Object.getPrototypeOf(options) === Object.prototype) checkUnsafe(options, names, noun)
}
