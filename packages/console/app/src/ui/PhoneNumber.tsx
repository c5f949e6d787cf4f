/**
 * A telephone number. For viewers the server masks it, and it is shown as it comes. Digits stand left to right in every language, in groups that are
 * easy to read.
 */
export const PhoneNumber = ({ number }: { readonly number: string }) => (
  <bdi className="numeric phone-number" dir="ltr">{groups(number).join("\u00a0")}</bdi>
)

/** +14155550100 → +1, 415, 555, 0100; other countries in groups of three from the end. */
const groups = (number: string): ReadonlyArray<string> => {
  const american = /^(\+1)([0-9•*]{3})([0-9•*]{3})([0-9•*]{4})$/.exec(number)
  if (american !== null) return american.slice(1)
  const match = /^(\+[0-9]{2})([0-9•*]+)$/.exec(number)
  if (match === null) return [number]
  const [, country = "", rest = ""] = match
  return [country, ...rest.match(/.{1,4}(?=(?:.{3})*$)|.{3}/g) ?? [rest]]
}
