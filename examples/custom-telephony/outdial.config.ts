import { defineServer } from "@outdial/server/config"
import { ourTelephony } from "./telephony.ts"

export default defineServer({ telephony: ourTelephony("https://carrier.example.com") })
