/** The connection of a request for a call, cut at every byte of the request and of the response. `npm test` cuts some. */
import * as CutRequests from "../telephony/fake/CutRequests.ts"

CutRequests.run({ step: { request: 1, response: 1 } })
