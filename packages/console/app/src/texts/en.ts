/** All texts of the page in English. Other languages have the same keys. Functions give texts with values. */

/** Such as `1 call` and `2 calls`. */
const count = (value: number, one: string, many: string): string =>
  `${new Intl.NumberFormat("en").format(value)} ${value === 1 ? one : many}`

export const en = {
  common: {
    cancel: "Cancel",
    close: "Close",
    copied: (what: string) => `${what} copied`,
    copy: (what: string) => `Copy ${what}`,
    dismiss: "Dismiss",
    download: "Download",
    loading: "Loading…",
    messages: "Messages",
    no: "No",
    none: "None",
    notCopied: "The browser did not allow copying. Select the text instead.",
    optional: "optional",
    reload: "Reload the page",
    retry: "Try again",
    save: "Save",
    search: "Search",
    test: "Test",
    yes: "Yes",
    yourTime: "Your time"
  },
  errors: {
    connection: "The server did not answer. Check your connection, then try again.",
    forbidden: "Your role does not allow this. Ask an administrator for a link with another role.",
    notFound: "It does not exist, or not in this account.",
    requestId: "Request",
    title: "That did not work",
    unexpected: "Something unexpected happened in this page. Reload it, then try again."
  },
  shell: {
    account: "Account",
    accountStopped: "This account is paused: no call goes out.",
    allStopped: "Emergency stop: no call goes out in any account.",
    colours: "Colours",
    failed: "This page has an error",
    failedHelp: "Reload it. If it was updated a moment ago, that loads the new version.",
    groups: { calling: "Calling", rules: "Rules", integration: "Integration", administration: "Administration" },
    language: "Language",
    live: { connecting: "Connecting…", live: "Live", lost: "Not live: connecting again" },
    navigation: "Pages",
    noAccounts: "There is no account yet",
    notFound: "Page not found",
    notFoundHelp: "No page has this address. Choose one from the navigation.",
    offline: "This device is offline. What you see may be out of date.",
    openMenu: "Open the navigation",
    pages: {
      now: "Now",
      calls: "Calls"
    },
    resumeOnNow: "Resume on the page Now",
    roles: { viewer: "Viewer", operator: "Operator", admin: "Administrator" },
    serverLost: "The server does not answer. What you see may be out of date; the page connects again by itself.",
    signOut: "Sign out",
    skip: "Skip to the content",
    themes: { system: "Colours as the system", light: "Light colours", dark: "Dark colours" },
    unknownAccount: "You cannot open this account",
    version: (version: string) => `Version ${version}`
  },
  link: {
    continue: "Continue with the session of this browser",
    ended:
      "Sessions last 12 hours and can be revoked. Run this where the server runs, and open the link that it prints:",
    endedTitle: "Your session has ended",
    host: "If you came here from an application, sign in there again.",
    intro: "This link works once. It signs this browser in for 12 hours.",
    invalid: "It was used, or it is older than ten minutes. Make a new one where the server runs:",
    invalidTitle: "This link no longer works",
    open: "Open the console",
    title: "Outdial console"
  },
  calls: {
    count: (calls: number) => count(calls, "call", "calls"),
    status: {
      queued: "Queued",
      dialing: "Dialing",
      in_progress: "In progress",
      completed: "Completed",
      no_answer: "No answer",
      busy: "Busy",
      failed: "Failed",
      canceled: "Canceled",
      expired: "Expired"
    },
    /** Why calls wait or did not happen, by `status_code`. */
    reason: {
      outside_calling_hours: "Outside calling hours in the callee's time zone",
      recall_gap: "Number called a short while ago",
      number_limit: "Number called as often as allowed",
      daily_limit: "All calls of the day are placed",
      not_before: "Requested for later",
      calls_per_second: "Limit of calls per second",
      lines_busy: "All lines are in use",
      number_busy: "Another call to this number is in progress",
      account_paused: "Account is paused",
      carrier_paused: "Carrier is paused",
      unknown_time_zone: "Time zone of the callee is unknown",
      number_not_allowed: "Policy does not allow this number",
      expires_before_allowed: "Expires before it may be dialed",
      policy_unreadable: "Policy cannot be read",
      rule_failed: "A calling rule failed",
      carrier_unavailable: "Carrier could not be reached",
      superseded: "Replaced by a newer call to this number",
      voicemail: "Answered by voicemail",
      no_speech: "Answered, but nothing was said",
      carrier_refused: "Carrier refused the call",
      carrier_lost: "Carrier lost track of the call",
      queue_expired: "Not dialed before it expired",
      canceled_by_client: "Canceled on request",
      do_not_call: "On the do-not-call list"
    }
  }
}
