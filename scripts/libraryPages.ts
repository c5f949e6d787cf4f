/** What each page of the library reference holds, and in which order. */
import { makeClient } from "../packages/http/src/client/PromiseClient.ts"

export interface Page {
  readonly file: string
  readonly title: string
  readonly intro: string
  /** As a caller writes them: `call` is how, `name` the export of the file, `member` a static function of it. */
  readonly functions: ReadonlyArray<
    { readonly call: string; readonly file: string; readonly name: string; readonly member?: string }
  >
  readonly types: ReadonlyArray<{ readonly file: string; readonly names: ReadonlyArray<string> }>
  /** Files whose promise types name the codes of their rejections. */
  readonly rejectionsOf?: ReadonlyArray<string>
  /** Whether its methods send requests of the HTTP interface. */
  readonly sends?: boolean
}

const promise = "packages/core/src/promise"
const outdial = `${promise}/Outdial.ts`
const core = "packages/core/src"
const recordings = `${core}/recording/Recordings.ts`

/** The id x, or options of which none is given. */
class Anything {
  toString() {
    return "x"
  }
}

/** Which request each method of the promise client sends, found out by calling it. */
export const endpointOf = (path: string): string | undefined => {
  let sent: string | undefined
  const client = makeClient({
    baseUrl: "http://localhost",
    apiKey: "none",
    retries: 0,
    fetch: (url, { method }) => {
      const template = new URL(url).pathname.replace(
        /\/x(?=\/|$)/,
        path.startsWith("doNotCall") ? "/{phone_number}" : "/{id}"
      )
      sent = `${method} ${template}`
      return new Promise(() => {})
    }
  })
  const [group = "", name = ""] = path.split(".")
  const methods: Readonly<Record<string, (argument: unknown) => unknown>> = Object(client)[group] ?? {}
  void methods[name]?.(new Anything())
  return sent
}

/** The forms of the HTTP reference that say what the fields of these types mean. */
export const forms: Readonly<Record<string, string>> = {
  HostCall: "Call",
  HostCallRequest: "StartCall",
  HostBatch: "Batch",
  HostAgent: "Agent",
  HostAgentDefinition: "Agent",
  HostWebhook: "Webhook",
  HostWebhookSettings: "SetWebhook",
  HostSecretRotation: "RotateSecret",
  HostRecovery: "RecoverEvents",
  HostExplanation: "Explanation",
  HostPreview: "PreviewCall",
  HostDelivery: "WebhookDelivery",
  HostDoNotCallEntry: "DoNotCallEntry",
  WebhookTest: "WebhookTest",
  SourceOutcome: "Outcome",
  CallData: "Call",
  BatchData: "Batch",
  StartBatchRequest: "StartBatch",
  HostBatchRequest: "StartBatch",
  HostPageQuery: "GET /v1/batches",
  HostCallQuery: "GET /v1/calls",
  HostEventQuery: "GET /v1/events",
  HostFeedQuery: "GET /v1/events/feed",
  HostDeliveryQuery: "GET /v1/webhook/deliveries",
  PageQuery: "GET /v1/batches",
  CallQuery: "GET /v1/calls",
  EventQuery: "GET /v1/events",
  DeliveryQuery: "GET /v1/webhook/deliveries",
  StartCallRequest: "StartCall",
  PreviewCallRequest: "PreviewCall",
  ClientCall: "Call",
  ClientBatch: "Batch",
  BatchRowRequest: "BatchRow",
  ClientAgent: "Agent",
  ClientWebhook: "Webhook",
  ClientWebhookTest: "WebhookTest",
  ClientEvent: "Event",
  ClientDelivery: "WebhookDelivery",
  ClientExplanation: "Explanation",
  ClientTranscript: "Transcript",
  TranscriptQuery: "GET /v1/calls/{id}/transcript",
  HostTranscript: "Transcript",
  HostTranscriptQuery: "GET /v1/calls/{id}/transcript",
  ClientDoNotCallEntry: "DoNotCallEntry"
}

/** What a field means, by its name or by its type and path, where neither the sources nor the HTTP reference say it. */
export const shared: Readonly<Record<string, string>> = {
  "WithinEngine.calls": "`start`, `get` and `cancel`, as in `AccountClient`.",
  "WithinEngine.batches": "`start`, `get` and `cancel`, as in `AccountClient`.",
  "HostCallEvent.type": "What happened.",
  "HostCallEvent.data": "The call as it was then; `null` once its callee has been erased.",
  "HostBatchEvent.type": "What happened.",
  "HostBatchEvent.data": "The batch as it was then, without its rows.",
  "HostReissuedSecret.url": "The address of the webhook.",
  "HostReissuedSecret.secret": "The new signing secret.",
  "Imported.rejected": "The lines without a number.",
  "Erased.calls": "Calls whose data were erased.",
  "Erased.events": "Events whose data were erased.",
  "Erased.rejectedRows": "Refused rows of batches whose data were erased.",
  "HostUsageRange.from": "The first day.",
  "HostUsageRange.to": "The last day.",
  "DayUsage.day": "The day, such as `2026-12-25`.",
  "HostAccount.createdAt": "When it was created.",
  "HostApiKey.expiresAt": "From when on the key is refused.",
  "HostNewKey.expiresAt": "From when on the key is refused; it must be in the future. Default: never.",
  "HostEnd.result": "How it ended.",
  "HostReport.event": "What happened. The fields of `ended` are those of `HostEnd`.",
  "ClientEventFeed.data": "The events, oldest first.",
  "ClientEventFeed.nextCursor": "Pass it as `cursor` to continue.",
  "OutdialApiError.details": "The data of the error, as the code says.",
  "ErrorDetails.callStatus": "The status of the call.",
  "ErrorDetails.errors": "Everything that is wrong with the request.",
  "ErrorDetails.location": "Which part of the request is wrong.",
  "ErrorDetails.maxBytes": "The most bytes of a request body.",
  "ErrorDetails.maxRows": "The most rows of a batch.",
  "ErrorDetails.missing": "Variables that the agent's script needs.",
  "ErrorDetails.reasons": "Why the server is not ready.",
  "ErrorDetails.requiredScopes": "Scopes of which the key needs one.",
  "ErrorDetails.retryAt": "When the same request may succeed.",
  "VerifyWebhookOptions.headers.get": "Of a `Headers` object.",
  "PostgresParts.storage": "The storage.",
  "PostgresParts.wakeups": "Wakes the loops of other processes.",
  "PostgresParts.clock": "The clock of the database.",
  "PostgresParts.transactions": "Lets `within` join your own transactions.",
  "TestRing.at": "When it rang.",
  "TestDelivery.headers": "The headers, with the signatures.",
  "TestDelivery.body": "The body as it was sent.",
  "TestDelivery.event": "The body, parsed.",
  accountId: "The account's id.",
  agent: "The agent, as it was when the call was accepted.",
  agentId: "The agent's id.",
  answeredBy: "Who answered.",
  at: "When it happened.",
  batchId: "The batch's id.",
  bytes: "The audio.",
  callId: "The call's id.",
  callerId: "The number to call from.",
  carrierCallId: "The carrier's own id of the call.",
  code: "What went wrong, as a stable code.",
  contact: "Whom the call is for.",
  createdAt: "When it was created.",
  disclosure: "What the contact hears before anything else. It cannot be interrupted.",
  dispositions: "The possible results of a conversation, 1 to 50. An outcome has one of them.",
  email: "The contact's e-mail address.",
  endMs: "When the turn ended, likewise.",
  endPhrases: "The call ends politely when the contact says one of these.",
  expiresAt: "From when on it is refused.",
  externalId: "Your own id of the contact.",
  firstMessage: "What the agent says first. The first paragraph of the script when absent.",
  hasMore: "Whether there are more pages.",
  id: "The id.",
  interrupted: "Whether the contact interrupted the agent. The text is then what the contact heard.",
  interruptible: "Whether the agent stops when the contact speaks.",
  items: "The items of this page.",
  language: "The language of the conversation, such as `en-US`. The provider gets it unchanged.",
  lastUsedAt: "When it was last used, to the minute.",
  maxDurationSeconds: "The longest conversation.",
  message: "What is wrong, for people.",
  model: "The language model that the agent answers with, by its name in your deployment.",
  name: "The name.",
  nextCursor: "Pass it as `cursor` to get the next page; `null` on the last page.",
  param: "The field that is wrong, as a JSON Pointer.",
  number: "The number, in E.164 form.",
  phoneNumber: "The number, in E.164 form.",
  questions: "What the agent asks, at most 50 questions. An outcome has an answer to each.",
  revokedAt: "When it was revoked.",
  scopes: "What the holder may do.",
  script: "What the agent says, with placeholders such as `{{contact.name}}`.",
  seenAt: "Its last heartbeat.",
  silenceSeconds: "After so long without a word the contact is asked if they are there, and then the call ends.",
  signal: "Aborted when the answer is no longer waited for.",
  speaker: "Who spoke: the agent, or the contact.",
  startMs: "When the turn began, in milliseconds since the answer, if known.",
  startedAt: "When it started.",
  test: "Whether calls are only simulated.",
  transferNumbers: "Where the agent may transfer a call to.",
  text: "What was said.",
  timeZone: "The time zone of the callee, such as `America/New_York`. The zones of the number when not given.",
  tools: "The tools of your application that the agent may use.",
  transcript: "What was said, in order.",
  version: "Raised by each change. A call keeps the version that it was accepted with.",
  voice: "The voice of the agent, by its name at the carrier.",
  voicemail: "What the agent does when a voicemail box answers.",
  voicemailMessage:
    "What the agent says to voicemail, with placeholders. A call needs no value for a variable that only this text uses."
}

/** Fields that only programs with Effect can use. */
export const forEffect = ["SimulatedTelephonyOptions.onRing", "SimulatedTelephonyOptions.journal", "Outdial.services"]

export const index = `# Library reference

The parts of the packages that need no knowledge of Effect: promises, plain objects and \`Date\`s.

| Page | Import | Use it to |
| --- | --- | --- |
| [Engine](engine.md) | \`Outdial\`, \`OutdialError\` from \`@outdial/core\` | run an engine in your process |
| [Storage](storage.md) | \`postgres\`, \`postgresOn\`, \`embedded\` from \`@outdial/sql\` | store calls in Postgres or in a folder |
| [Ports](ports.md) | \`Telephony\`, \`OutcomeSource\`, \`Recordings\`, \`SimulatedTelephony\` from \`@outdial/core\`; \`GatedTransport\`, \`FileRecordings\` from \`@outdial/node\` | connect a carrier, a language model, a store of recordings and the network |
| [Handlers](handlers.md) | \`NodeHandler\` from \`@outdial/node\`, \`WebHandler\` from \`@outdial/http\` | serve \`/v1\` from your own server |
| [Client](client.md) | \`makeClient\` from \`@outdial/http/client\` | call an Outdial server from another program |
| [Webhooks](webhooks.md) | \`verifyWebhook\` from \`@outdial/core/webhooks\` | receive events |
| [Tests](testing.md) | \`TestEngine\` from \`@outdial/testkit\` | test your code on a clock that you move |
| [Server configuration](server.md) | \`defineServer\` from \`@outdial/server/config\` | give \`outdial serve\` your own parts |

## How to read it

- \`name?\` is optional: leave it out, or pass \`undefined\`. All properties are read-only.
- A type written \`Layer<Storage>\` is a part of an engine. You do not build one: you pass what a function of these pages returns,
  such as \`postgres(…)\` or \`GatedTransport.layer()\`.
- \`contact.name\` is the field \`name\` of the object \`contact\`; \`calls[].id\` is the field \`id\` of each item of \`calls\`.
- Ids are strings. Instants are \`Date\`s; where a request takes \`string | Date\`, the string is ISO 8601 with an offset.
- A promise rejects with one kind of error, whose \`code\` is listed with each method and explained in [Errors](../errors.md).`

export const pages: ReadonlyArray<Page> = [
  {
    file: "engine.md",
    title: "Engine",
    intro:
      `\`import { Outdial, OutdialError } from "@outdial/core"\`. The guide to it: [Inside your own backend](../../guides/embed.md).

Every promise rejects with an \`OutdialError\`. Besides the codes listed with a method, each can reject with \`engine_closed\` once the engine
is closed, with \`internal_error\` for a bug of ours or a part of yours that failed (see its \`cause\`), and with \`aborted\` when a signal was
given. Methods of \`account(id)\` also reject with \`not_found\` when the account does not exist, and methods of \`within(client)\` with
\`not_in_transaction\`, \`transaction_failed\` and \`transactions_unsupported\`. All are explained in [Errors](../errors.md#in-your-own-process).

Types are members of the namespace: \`Outdial.HostCall\`, \`Outdial.Options\`. \`HostPolicy\` is described in the [policy reference](../policy.md).`,
    functions: [
      { call: "Outdial.open", file: outdial, name: "open" },
      { call: "OutdialError.is", file: `${promise}/OutdialError.ts`, name: "OutdialError", member: "is" }
    ],
    types: [
      {
        file: outdial,
        names: [
          "Options",
          "Outdial",
          "AccountClient",
          "AccountRules",
          "WithinEngine",
          "HostClient",
          "HostCallRequest",
          "HostCall",
          "HostBatchRequest",
          "HostBatch",
          "HostAgentDefinition",
          "HostAgent",
          "HostExplanation",
          "HostTranscript",
          "HostPreview",
          "HostPage",
          "HostPageQuery",
          "HostCallQuery",
          "HostEvent",
          "HostCallEvent",
          "HostBatchEvent",
          "HostEventQuery",
          "HostFeedQuery",
          "HostTranscriptQuery",
          "HostHandler",
          "SubscribeOptions",
          "HostSubscription",
          "HostDelivery",
          "HostDeliveryQuery",
          "HostWebhookSettings",
          "HostWebhook",
          "HostSecretRotation",
          "WebhookTest",
          "HostRecovery",
          "HostNewKey",
          "HostApiKey",
          "HostDoNotCallEntry",
          "Imported",
          "Erased",
          "HostUsageRange",
          "DayUsage",
          "HostSettings",
          "HostNewAccount",
          "HostAccount",
          "HostWorker",
          "HostReissuedSecret",
          "NotReady"
        ]
      },
      { file: `${promise}/OutdialError.ts`, names: ["OutdialError", "OutdialErrorCode"] }
    ],
    rejectionsOf: [`${promise}/AccountClient.ts`, `${promise}/AccountRules.ts`, outdial]
  },
  {
    file: "storage.md",
    title: "Storage",
    intro:
      `\`import { embedded, postgres, postgresOn } from "@outdial/sql"\`. Each function returns options of [\`Outdial.open\`](engine.md#options), to be spread:
\`Outdial.open({ ...postgres({ url }), secretKey })\`. The guide to it: [Postgres](../../guides/postgres.md). Without storage an engine keeps everything in memory.`,
    functions: ["postgres", "postgresOn", "embedded"].map((name) => ({
      call: name,
      file: "packages/sql/src/PromiseStorage.ts",
      name
    })),
    types: [{ file: "packages/sql/src/PromiseStorage.ts", names: ["PostgresOptions", "PostgresParts"] }]
  },
  {
    file: "ports.md",
    title: "Ports",
    intro:
      `Each function returns an option of [\`Outdial.open\`](engine.md#options): pass \`Telephony.Telephony.layerOf(…)\` and \`SimulatedTelephony.layer(…)\` as
\`telephony\`, \`OutcomeSource.OutcomeSource.layerOf(…)\` as \`outcomes\`, \`Recordings.Recordings.layerOf(…)\` and \`FileRecordings.layer(…)\` as \`recordings\`, and
\`GatedTransport.layer(…)\` as \`transport\`. \`GatedTransport\` and \`FileRecordings\` are in \`@outdial/node\`, all others in \`@outdial/core\`.

Guides: [Write a provider](../../guides/write-a-provider.md), [Write an outcome source](../../guides/outcome-source.md),
[Webhook network](../../guides/webhook-network.md).`,
    functions: [
      {
        call: "Telephony.Telephony.layerOf",
        file: `${core}/telephony/Telephony.ts`,
        name: "Telephony",
        member: "layerOf"
      },
      { call: "SimulatedTelephony.layer", file: `${core}/simulator/SimulatedTelephony.ts`, name: "layer" },
      {
        call: "OutcomeSource.OutcomeSource.layerOf",
        file: `${core}/outcome/OutcomeSource.ts`,
        name: "OutcomeSource",
        member: "layerOf"
      },
      {
        call: "OutcomeSource.OutcomeSource.layerScripted",
        file: `${core}/outcome/OutcomeSource.ts`,
        name: "OutcomeSource",
        member: "layerScripted"
      },
      {
        call: "TextAgent.TextAgent.layerOf",
        file: `${core}/conversation/TextAgent.ts`,
        name: "TextAgent",
        member: "layerOf"
      },
      { call: "Tool.make", file: `${core}/conversation/Tool.ts`, name: "make" },
      { call: "ScriptedAgent.layerOf", file: `${core}/conversation/ScriptedAgent.ts`, name: "layerOf" },
      { call: "Recordings.Recordings.layerOf", file: recordings, name: "Recordings", member: "layerOf" },
      { call: "FileRecordings.layer", file: "packages/node/src/recording/FileRecordings.ts", name: "layer" },
      { call: "GatedTransport.layer", file: "packages/node/src/webhook/GatedTransport.ts", name: "layer" }
    ],
    types: [
      {
        file: `${core}/telephony/PromiseTelephony.ts`,
        names: [
          "PromiseTelephony",
          "HostDialRequest",
          "HostLine",
          "HostDialOptions",
          "HostDialAnswer",
          "HostCallKey",
          "HostPlacedCall",
          "HostCallToEnd",
          "HostCarrierView",
          "HostReport",
          "HostEnd"
        ]
      },
      { file: `${core}/telephony/DialRequest.ts`, names: ["DialRequest"] },
      { file: `${core}/simulator/SimulatedTelephony.ts`, names: ["SimulatedTelephonyOptions"] },
      { file: `${core}/simulator/SimulatedCallee.ts`, names: ["Callee"] },
      { file: `${core}/outcome/OutcomeSource.ts`, names: ["Conversation"] },
      { file: `${core}/conversation/TextAgent.ts`, names: ["TalkSoFar", "ConversationBrief"] },
      { file: `${core}/conversation/Tool.ts`, names: ["ToolOptions", "ToolContext", "ToolDescription"] },
      { file: `${core}/conversation/ScriptedAgent.ts`, names: ["ScriptedAgentOptions"] },
      { file: `${core}/rules/conversation/Phrases.ts`, names: ["Phrases"] },
      { file: `${core}/rules/conversation/ContactWords.ts`, names: ["ContactWords"] },
      {
        file: `${core}/domain/Conversation.ts`,
        names: ["AgentInput", "AgentPart", "Note", "LoggedNote", "Entry", "ToolAnswer", "ToolProblem"]
      },
      { file: `${core}/domain/Outcome.ts`, names: ["SourceOutcome"] },
      { file: recordings, names: ["HostRecordings", "RecordingKey", "Recording", "RecordingStream"] },
      { file: "packages/node/src/recording/FileRecordings.ts", names: ["FileRecordingsOptions"] },
      { file: "packages/node/src/webhook/GatedTransport.ts", names: ["GatedTransportOptions"] },
      { file: "packages/node/src/webhook/AddressGate.ts", names: ["Exemptions"] }
    ]
  },
  {
    file: "handlers.md",
    title: "Handlers",
    intro:
      `\`import { NodeHandler } from "@outdial/node"\` and \`import { WebHandler } from "@outdial/http"\`. Both serve the whole of \`/v1\` over an engine that
\`Outdial.open\` opened. The guide to them: [Mounting](../../guides/mount.md).`,
    functions: [
      { call: "NodeHandler.over", file: "packages/node/src/NodeHandler.ts", name: "NodeHandler", member: "over" },
      { call: "WebHandler.over", file: "packages/http/src/mount/WebHandler.ts", name: "WebHandler", member: "over" }
    ],
    types: [
      { file: "packages/http/src/mount/Routes.ts", names: ["MountOptions"] },
      { file: "packages/http/src/access/HostAccess.ts", names: ["Authenticate", "HostAccess"] }
    ]
  },
  {
    file: "client.md",
    title: "Client",
    intro: `\`import { makeClient, OutdialApiError } from "@outdial/http/client"\`. It needs \`fetch\` and nothing else.

Every promise rejects with an \`OutdialApiError\`. Besides the codes listed with a method, each can reject with \`connection_failed\` when no answer
came, with \`unexpected_answer\` when the answer is not the server's, and with {common}. A promise whose \`signal\` was aborted rejects with the
signal's reason. Failures that are safe to repeat are repeated, 4 times by default.`,
    functions: [{ call: "makeClient", file: "packages/http/src/client/PromiseClient.ts", name: "makeClient" }],
    types: [
      {
        file: "packages/http/src/client/PromiseClient.ts",
        names: [
          "Options",
          "PromiseClient",
          "RequestOptions",
          "StartOptions",
          "List",
          "Page",
          "PageQuery",
          "StartCallRequest",
          "ClientCall",
          "CallQuery",
          "StartBatchRequest",
          "ClientBatch",
          "ClientAgent",
          "ClientExplanation",
          "ClientTranscript",
          "PreviewCallRequest",
          "ClientDoNotCallEntry",
          "ClientWebhook",
          "ClientWebhookTest",
          "ClientEvent",
          "EventQuery",
          "TranscriptQuery",
          "ClientEventFeed",
          "ClientDelivery",
          "DeliveryQuery",
          "OutdialApiError",
          "ClientErrorCode",
          "ErrorDetails"
        ]
      }
    ],
    sends: true
  },
  {
    file: "webhooks.md",
    title: "Webhooks",
    intro:
      `\`import { verifyWebhook } from "@outdial/core/webhooks"\`. This entry loads neither the engine nor Effect. The guide to it:
[Receive webhooks](../../guides/receive-webhooks.md).`,
    functions: [{ call: "verifyWebhook", file: `${core}/webhooks.ts`, name: "verifyWebhook" }],
    types: [{
      file: `${core}/webhooks.ts`,
      names: [
        "VerifyWebhookOptions",
        "WebhookEvent",
        "CallData",
        "BatchData",
        "WebhookVerificationError",
        "WebhookVerificationCode"
      ]
    }]
  },
  {
    file: "testing.md",
    title: "Tests",
    intro:
      `\`import { TestEngine } from "@outdial/testkit"\`. It works under any test runner. The guide to it: [Testing](../../guides/testing.md).`,
    functions: [{ call: "TestEngine.open", file: "packages/testkit/src/TestEngine.ts", name: "open" }],
    types: [{
      file: "packages/testkit/src/TestEngine.ts",
      names: ["OpenOptions", "HostTestEngine", "TestRing", "TestDelivery"]
    }]
  },
  {
    file: "server.md",
    title: "Server configuration",
    intro:
      `\`import { defineServer } from "@outdial/server/config"\`, in the module that \`outdial serve --config FILE\` loads. The guide to it:
[Write a provider](../../guides/write-a-provider.md).`,
    functions: [{ call: "defineServer", file: "packages/server/src/config/ServerConfig.ts", name: "defineServer" }],
    types: [{ file: "packages/server/src/config/ServerConfig.ts", names: ["ServerConfig"] }]
  }
]
