/**
 * How much of a contract runs against a storage that differs from another one in its connection alone: a part in `npm test`, all in
 * `npm run test:nightly` and `npm test -- test/storage`. Random commands run against it too: see `test/model`.
 */
import { env } from "node:process"

export const ofContract = { sample: env["OUTDIAL_WHOLE_CONTRACTS"] === undefined ? 5 : 1 }
