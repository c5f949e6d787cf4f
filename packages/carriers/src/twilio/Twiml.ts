/**
 * The instructions that Twilio gets for a call: to connect it with the conversation or with a number, or to end it.
 * https://www.twilio.com/docs/voice/twiml/connect/conversationrelay and https://www.twilio.com/docs/voice/twiml/dial
 */

export interface Connection {
  /** The address of the relay's socket, `wss://…`. Twilio signs it as it is written here. */
  readonly relayUrl: string
  /** Where Twilio asks what follows when the session has ended. */
  readonly actionUrl: string
  /** BCP 47; Twilio's default is `en-US`. */
  readonly language?: string
  readonly voice?: string
}

/**
 * What the contact says is reported also while the agent speaks, so that the conversation decides what is an interruption; and which words
 * were played, so that the transcript has what was heard.
 */
const relay = {
  dtmfDetection: "true",
  events: "speaker-events tokens-played",
  interruptible: "any",
  reportInputDuringAgentSpeech: "any"
}

export const connect = ({ actionUrl, language, relayUrl, voice }: Connection): string =>
  response(element(
    "Connect",
    { action: actionUrl, method: "POST" },
    element("ConversationRelay", {
      url: relayUrl,
      ...(language !== undefined && { language }),
      ...(voice !== undefined && { voice }),
      ...relay
    })
  ))

/**
 * Connects the call with a socket for sound. When that is closed, Twilio asks `actionUrl` what follows.
 * https://www.twilio.com/docs/voice/twiml/stream
 */
export const stream = (
  { actionUrl, streamUrl }: { readonly streamUrl: string; readonly actionUrl: string }
): string =>
  response(
    element("Connect", {}, element("Stream", { url: streamUrl })) +
      element("Redirect", { method: "POST" }, escaped(actionUrl))
  )

/** Connects the contact with a number. Twilio asks `actionUrl` what follows when that call is over, or was not taken. */
export const dial = (
  { actionUrl, callerId, number }: {
    readonly number: string
    readonly actionUrl: string
    /** Default: Twilio's choice. */
    readonly callerId?: string | undefined
  }
): string =>
  response(element(
    "Dial",
    { action: actionUrl, method: "POST", ...(callerId !== undefined && { callerId }) },
    element("Number", {}, escaped(number))
  ))

export const hangUp = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response><Hangup/></Response>"

const response = (content: string) => `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`

const element = (name: string, attributes: Readonly<Record<string, string>>, content = ""): string => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`).join("")
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&apos;"
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, (character) => entities[character] ?? character)
