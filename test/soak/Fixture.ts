/** The settings of every process of a run, as JSON in an argument. */
import { existsSync } from "node:fs"
import * as Journal from "./Journal.ts"
import type { Timeline } from "./Timeline.ts"

export interface RunSettings {
  /** Where everything is kept that must survive the processes. */
  readonly folder: string
  readonly timeline: Timeline
  readonly seed: number
  /** How often this process has been started before. */
  readonly life: number
  readonly databaseUrl: string
  readonly carrierPort: number
  readonly receiverPort: number
  readonly nodes: ReadonlyArray<NodeSettings>
}

export interface NodeSettings {
  readonly name: string
  /** Of the interface. */
  readonly port: number
  /** Where the carrier reports. */
  readonly callbackPort: number
  /** How wrong its clock is, in milliseconds of the timeline. */
  readonly skew: number
}

/** The settings of this process, which ends when its parent has ended. */
export const read = (): RunSettings & { readonly name: string } => {
  process.stdin.on("end", () => process.exit(1)).resume()
  return JSON.parse(process.argv[2] ?? "")
}

export const isCalm = ({ folder }: RunSettings): boolean => existsSync(Journal.calm(folder))

/** Reports that this process is ready. */
export const ready = () => process.stdout.write("ready\n")
