/** For programs that receive webhooks: verification and types, without the engine and without Effect at run time. */
export type { BatchData, CallData, FutureKind, WebhookEvent } from "./receiver/WebhookEvent.ts"
export { verifyWebhook, type VerifyWebhookOptions } from "./receiver/VerifyWebhook.ts"
export { type WebhookVerificationCode, WebhookVerificationError } from "./receiver/WebhookVerificationError.ts"
