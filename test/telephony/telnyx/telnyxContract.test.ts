/** The contract of telephony, over a fake Telnyx. */
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Redacted } from "effect"
import * as FakeContract from "../fake/FakeContract.ts"

FakeContract.run("Telnyx", {
  fake: FakeTelnyx.FakeTelnyx,
  layer: FakeTelnyx.FakeTelnyx.layer(FakeContract.behaviour),
  provider: ({ apiKey, connectionId, publicKey, url }, publicUrl) =>
    TelnyxTelephony.layer({
      apiKey: Redacted.make(apiKey),
      connectionId,
      publicKey,
      apiUrl: url,
      publicUrl,
      callerId: FakeContract.callerId
    }),
  authorizes: true,
  callIdOf: ({ request }) => request.command_id?.split(" ")[0] ?? "",
  refusal: { code: "10002", message: "The phone number is invalid" }
})
