/**
 * The model server as a process, for trials by hand: `node scripts/run.mjs test/support/model/main.ts [PORT]`. It interviews, and prints its
 * address. Use it as `OUTDIAL_MODEL=test OUTDIAL_MODEL_URL=…`.
 */
import * as Interviewer from "./Interviewer.ts"
import * as ModelServer from "./ModelServer.ts"

const { server } = await ModelServer.start({ reply: Interviewer.reply, port: Number(process.argv[2] ?? 0) })
process.stdout.write(`${server.url}\n`)
