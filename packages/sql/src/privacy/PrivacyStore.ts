/** Retention and erasure. */
import type { Storage } from "@outdial/core"
import type { CallWriter } from "../call/CallWriter.ts"
import * as UnwantedRecordings from "../call/UnwantedRecordings.ts"
import type { Database } from "../database/Database.ts"
import * as Erasure from "./Erasure.ts"
import * as Retention from "./Retention.ts"

export const make = (database: Database, writes: CallWriter): Storage.PrivacyStore["Service"] => ({
  ...Retention.make(database, writes),
  ...Erasure.make(database, writes),
  ...UnwantedRecordings.make(database)
})
