/** Asks Asterisk for what calls need of it, and names what is missing. Places no call. */
import { AsteriskPbx, AsteriskTelephony, type AsteriskUnreachable } from "@outdial/carriers/asterisk"
import { Effect } from "effect"
import { failed, type Finding, ok, warning } from "./Finding.ts"

export const findings = (
  options: AsteriskTelephony.AsteriskOptions
): Effect.Effect<ReadonlyArray<Finding>, AsteriskUnreachable> =>
  Effect.map(AsteriskPbx.get(options), (pbx) => [
    version(pbx),
    ...modules(pbx),
    trunk(pbx, AsteriskTelephony.endpointOf(options.endpoint) ?? options.endpoint),
    ...dialplan(pbx)
  ])

const linesOf = (file: string) => `Add the lines of ${file} that outdial asterisk config prints, and reload Asterisk`

const version = ({ isSupported, version }: AsteriskPbx.AsteriskPbx): Finding =>
  isSupported === false
    ? failed("Asterisk", `It is version ${version}, and must be 22.10.1 or later`)
    : ok("Asterisk", `Version ${version}${isSupported === undefined ? ", which is no release" : ""}`)

const modules = ({ missingModules: missing }: AsteriskPbx.AsteriskPbx): ReadonlyArray<Finding> =>
  missing.length === 0
    ? []
    : [failed("Asterisk", `It does not run ${missing.join(", ")}. Install and load them (modules.conf)`)]

const trunk = ({ endpoint }: AsteriskPbx.AsteriskPbx, name: string): Finding => {
  switch (endpoint) {
    case undefined:
      return failed("trunk", `There is no endpoint ${name}. ${linesOf("pjsip.conf")}`)
    case "online":
      return ok("trunk", `${name} answers`)
    case "offline":
      return failed(
        "trunk",
        `${name} does not answer: check its host, the firewall, and its registration with asterisk -rx "pjsip show registrations"`
      )
    default:
      return warning(
        "trunk",
        `Asterisk does not ask whether ${name} answers (qualify_frequency). Registrations are shown by asterisk -rx "pjsip show ` +
          "registrations\", not by ARI"
      )
  }
}

const dialplan = ({ dialplan, endpoint }: AsteriskPbx.AsteriskPbx): ReadonlyArray<Finding> => {
  if (endpoint === undefined) return []
  if (dialplan === undefined) {
    return [failed("dialplan", "It could not be asked: Asterisk creates no channel on the trunk")]
  }
  const missing = dialplan.missingContexts.map((context) => `[${context}]`).join(", ")
  return [
    missing === ""
      ? ok("dialplan", "It has the contexts that calls go through")
      : failed("dialplan", `There is no ${missing}. ${linesOf("extensions.conf")}`),
    ...dialplan.hasCdr ? [] : [failed("dialplan", `It does not learn when a call was answered. ${linesOf("cdr.conf")}`)]
  ]
}
