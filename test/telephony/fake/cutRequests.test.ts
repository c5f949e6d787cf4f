/** All places are cut by `npm run test:nightly`. */
import * as CutRequests from "./CutRequests.ts"

CutRequests.run({ step: { request: 101, response: 23 } })
