/** Language models: how to bring one, and what Outdial does with it. */
export * as AiSdkModel from "./model/AiSdkModel.ts"
export * as FallbackModel from "./model/FallbackModel.ts"
export * as Models from "./model/Models.ts"
export * as ModelFailure from "./model/ModelFailure.ts"
export * as ModelAgent from "./agent/ModelAgent.ts"
export * as ModelOutcome from "./outcome/ModelOutcome.ts"
export * as ModelPersona from "./rehearsal/ModelPersona.ts"
