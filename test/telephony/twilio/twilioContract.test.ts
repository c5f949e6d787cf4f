/** The contract of telephony, over a fake Twilio. */
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Redacted } from "effect"
import * as FakeContract from "../fake/FakeContract.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"

FakeContract.run("Twilio", {
  fake: FakeTwilio.FakeTwilio,
  layer: CheckedTwilio.layer(FakeContract.behaviour),
  provider: (twilio, publicUrl) =>
    TwilioTelephony.layer({
      accountSid: twilio.accountSid,
      authToken: Redacted.make(twilio.authToken),
      apiUrl: twilio.url,
      publicUrl,
      callerId: FakeContract.callerId
    }),
  authorizes: true,
  callIdOf: ({ request }) => request.get("StatusCallback")?.split("/").at(-1)?.split(".")[1] ?? "",
  refusal: { code: "21211", message: "The phone number is not valid" }
})
