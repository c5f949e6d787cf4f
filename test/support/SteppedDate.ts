/**
 * Imported into a process before all else (`node --import`): its system clock is ahead by as many milliseconds as the file says
 * that `STEPPED_DATE` names. Its monotonic clock, and how long the machine has been up, stay what they are.
 */
import { readFileSync, watchFile } from "node:fs"

const file = process.env["STEPPED_DATE"] ?? ""
const now = Date.now.bind(Date)
let ahead = 0
const read = () => {
  ahead = Number(readFileSync(file, "utf8"))
}
read()
watchFile(file, { interval: 100, persistent: false }, read)
Date.now = () => now() + ahead
