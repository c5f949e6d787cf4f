/** The texts of the pages of agents in English. */

const count = (value: number, one: string, many: string): string =>
  `${new Intl.NumberFormat("en").format(value)} ${value === 1 ? one : many}`

export const agents = {
  add: {
    questions: "Add a question",
    dispositions: "Add a disposition",
    end_phrases: "Add an end phrase",
    tools: "Add a tool",
    transfers: "Add a transfer number"
  },
  archive: "Archive",
  archiveText: "No call can be started with it any more. Calls that wait are made. Saving it again brings it back.",
  archiveTitle: "Archive this agent?",
  archived: "Archived",
  archivedDone: "The agent is archived",
  changed: "Changed",
  changedMeanwhile: (version: number) =>
    `Version ${version} was saved elsewhere meanwhile. Saving replaces it with what you see; discard your changes to see it.`,
  discard: "Discard changes",
  empty: "An agent is what calls: its script, its questions and how it behaves.",
  emptyTitle: "No agents yet",
  entries: {
    questions: (place: number) => `Question ${place}`,
    dispositions: (place: number) => `Disposition ${place}`,
    end_phrases: (place: number) => `End phrase ${place}`,
    tools: (place: number) => `Tool ${place}`
  },
  fields: {
    caller_id: "Caller id",
    disclosure: "Disclosure",
    dispositions: "Dispositions",
    end_phrases: "End phrases",
    first_message: "First message",
    interruptible: "Stops speaking when the contact speaks",
    language: "Language",
    max_duration_seconds: "Longest call, in seconds",
    model: "Language model",
    name: "Name",
    questions: "Questions",
    script: "Script",
    silence_seconds: "Longest silence, in seconds",
    tools: "Tools",
    voice: "Voice",
    voicemail: "When voicemail answers",
    voicemail_message: "Voicemail message"
  },
  help: {
    caller_id: "The number that it calls from, such as +14155550199. Your carrier’s default when empty.",
    disclosure: "What the contact hears before anything else. It cannot be interrupted.",
    dispositions: "The possible results of a conversation. At least one.",
    end_phrases: "The call ends politely when the contact says one of these.",
    first_message: "What it says first. The first paragraph of the script when empty.",
    language: "Such as en, de or es-MX. English when empty.",
    max_duration_seconds: "10 to 14,400. Then it says goodbye. 600 when empty.",
    model: "By the name that your deployment has given it. The default when empty.",
    name: "",
    questions: "What it asks, in this order.",
    script: "What it says; for a language model also how it behaves. {{name}} is a placeholder that each call fills.",
    silence_seconds: "3 to 120. Then it asks whether the contact is there. 10 when empty.",
    tools: "Tools of your application that it may use, by name.",
    voice: "By its name at the carrier. The default when empty.",
    voicemail_message: "What it says to a voicemail box."
  },
  leave: "Leave without saving",
  leaveText: "What you changed is lost.",
  leaveTitle: "Leave without saving?",
  list: "Agents",
  new: "New agent",
  newDenied: "Your role may not create agents.",
  no: "No",
  parts: {
    behaviour: "Behaviour",
    conversation: "Conversation",
    result: "Questions and results",
    technical: "Telephone, model and tools",
    voicemail: "Voicemail"
  },
  rehearse: {
    answers: (verdict: string) => `Answers: ${verdict}`,
    speakers: { agent: "Agent", contact: "Contact" },
    duration: "Duration (median / longest)",
    expected: "Dispositions as expected",
    failures: (failures: number) => count(failures, "failure", "failures"),
    intro:
      "Simulated contacts talk to the agent, as in a call. No phone rings and nothing is stored, but language models are paid as in calls, and tools run in earnest.",
    introUnsaved:
      "Simulated contacts talk to the agent with your unsaved changes. Language models are paid as in calls, and tools run in earnest.",
    latency: "Time to answer (half / 95 %)",
    musts: {
      agent: "Works without an error",
      disclosure: "Says the disclosure first",
      duration: "Ends in time",
      monologue: "Lets the contact speak",
      opt_outs: "Respects opt-outs",
      silence: "Handles silence"
    },
    notPassed: "Not passed",
    of: (part: number, all: number) => `${part} of ${all}`,
    passed: "Passed",
    personas: "Contacts",
    question: "Question",
    recorded: "Recorded",
    report: "Report",
    running: "The contacts are talking. This can take some minutes.",
    runs: "Calls",
    runsHelp: "1 to 100. One for each contact when empty.",
    said: "Said",
    seed: "Seed",
    start: "Rehearse",
    title: "Rehearsal",
    turns: "Turns (median / most)",
    verdict: "Verdict",
    verdicts: { right: "Right", wrong: "Wrong", missing: "Missing", not_given: "Not given" }
  },
  remove: (entry: string) => `Remove: ${entry}`,
  required: "Needs values for",
  saved: "The agent is saved. New calls use it; calls that wait keep their version.",
  tabs: { edit: "Edit", rehearse: "Rehearse", talk: "Talk", versions: "Versions", view: "Agent" },
  talk: {
    again: "Talk again",
    answering: "The agent is answering…",
    contactName: "Contact’s name",
    end: "Hang up",
    failed: "The conversation failed",
    intro:
      "Talk to the agent as a contact would, in writing. No phone rings and nothing is stored; tools run in earnest.",
    introUnsaved:
      "Talk to the agent with your unsaved changes, in writing. No phone rings and nothing is stored; tools run in earnest.",
    log: "Conversation",
    notes: {
      answer: "Noted as an answer",
      callback: "Noted: call back",
      meeting: "Noted: meeting",
      opt_out: "Noted: no more calls",
      transfer: "Noted: transfer"
    },
    over: "The conversation is over",
    say: "Your answer",
    sayHelp: "Digits alone are pressed as keys.",
    send: "Say",
    speakers: { agent: "Agent", contact: "You" },
    start: "Start the conversation",
    title: "Conversation by keyboard",
    tool: (name: string) => `Tool ${name}`
  },
  textsHidden: "Scripts and questions are shown to administrators only.",
  transfers: {
    help: "Where it may transfer a call to. The agent knows the names only.",
    name: (place: number) => `Name ${place}`,
    number: (place: number) => `Number ${place}`,
    title: "Transfer numbers"
  },
  unsaved: "Not saved yet",
  variables: {
    default: (key: string) => `Value of ${key} for calls that give none`,
    help: "Found in your texts. A call is refused without a value, unless the placeholder is optional.",
    optional: "Optional",
    title: "Placeholders"
  },
  version: "Version",
  versions: {
    added: "Added: ",
    edit: (version: number) => `Continue with version ${version}`,
    left: "Earlier version",
    number: (version: number) => `Version ${version}`,
    onlyOne: "There is one version only. Every saved change makes another.",
    removed: "Removed: ",
    right: "Later version",
    same: "The two versions are the same.",
    title: "Compare versions",
    unchanged: "Unchanged lines"
  },
  voicemail: {
    default: "Leave the message, if there is one",
    hang_up: "Hang up",
    leave_message: "Leave the message"
  },
  yes: "Yes"
}
