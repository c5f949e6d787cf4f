/**
 * What agents may name in this deployment, in their fields `tools` and `model`. None where a process does not know it, such as one that only
 * changes agents: any name is accepted then.
 */
import { Context, Option } from "effect"

type Names = Option.Option<ReadonlyArray<string>>

export const ToolNames = Context.Reference<Names>("@outdial/core/account/ToolNames", { defaultValue: Option.none })

export const ModelNames = Context.Reference<Names>("@outdial/core/account/ModelNames", { defaultValue: Option.none })
