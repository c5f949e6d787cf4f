/** The command line `outdial`. */
// Compiles decoders, which doubles the speed of reading and writing documents. Must run before any schema is used. The library
// does not do it, because it affects the whole process and uses an unstable module. Without effect where code generation is
// forbidden.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { accounts } from "./cli/account/accounts.ts"
import { agents } from "./cli/account/agents.ts"
import { asterisk } from "./cli/carrier/asterisk.ts"
import { console } from "./cli/console/console.ts"
import { call } from "./cli/call/call.ts"
import { carriers } from "./cli/carrier/carriers.ts"
import { calls } from "./cli/call/calls.ts"
import { demo } from "./demo/demo.ts"
import { dev } from "./dev/dev.ts"
import { doctor } from "./doctor/doctor.ts"
import { doNotCall } from "./cli/do-not-call/doNotCall.ts"
import { erase } from "./cli/privacy/erase.ts"
import { explain, preview } from "./cli/policy/explain.ts"
import { keys } from "./cli/access/keys.ts"
import { migrate } from "./cli/migrate.ts"
import { pause, resume } from "./cli/account/pause.ts"
import { policy } from "./cli/policy/policy.ts"
import { rehearse } from "./cli/rehearsal/rehearse.ts"
import { report } from "./cli/Report.ts"
import { secrets } from "./cli/secret/secrets.ts"
import { serve } from "./serve/serve.ts"
import { talk } from "./cli/conversation/talk.ts"
import { usage } from "./cli/account/usage.ts"
import * as Logging from "./observe/Logging.ts"
import { runMain } from "./serve/Signals.ts"
import { version } from "./serve/Version.ts"

export const outdial = Command.make("outdial").pipe(
  Command.withDescription("Outdial, an engine for outbound AI phone calls"),
  Command.withSubcommands([
    dev,
    demo,
    serve,
    migrate,
    doctor,
    accounts,
    agents,
    keys,
    console,
    policy,
    doNotCall,
    pause,
    resume,
    carriers,
    asterisk,
    explain,
    preview,
    call,
    calls,
    talk,
    rehearse,
    usage,
    erase,
    secrets
  ])
)

/** Runs the command that the arguments of this process name. */
export const main = () => {
  // If the script that started this process has gone, the process ends itself as on SIGTERM.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  process.channel?.unref()
  outdial.pipe(
    Command.run({ version }),
    Effect.tapCause(report),
    Effect.provide([NodeServices.layer, Logging.layerCommand]),
    runMain
  )
}

if (import.meta.main) main()
