/** The two Asterisks of docs/guides/several-carriers.md, with a voice that speaks and understands tones. */
import { defineServer } from "@outdial/server/config"
import several from "../support/severalAsterisks.config.ts"
import tones from "./tones.config.ts"

export default defineServer({ ...several, ...tones })
