/** The channels that a letter may name in place of a template, and the values of letters about events of agents. */
import { CAPTCHA_ASKED, CONSENT_ASKED, DIGEST, OWNER_ASKED } from "../../schemas/relay/events.ts"

/** The channel of letters that go to a chat, with a text that is ready (actors/chat/). */
export const CHAT = "chat"
/** The channel of letters that go to a browser, with a text that is ready (actors/push/). */
export const PUSH = "push"

/** True for letters about events of agents. Such a letter is counted again at each further attempt (sending.ts). */
export const isRelayed = (template: string): boolean => template.startsWith("relayed_")

interface About {
  /** The agent's hub id. */
  readonly agent: string
  readonly event: string
}

/** Values that are added to a letter, so that a later check can decide whether there is room for it. */
export const subjectValues = ({ agent, event }: About): Readonly<Record<string, string>> => ({ of: agent, event })

/** The events of letters of older releases, which name only their template. */
const BY_TEMPLATE: Readonly<Record<string, string>> = {
  relayed_words: OWNER_ASKED,
  relayed_captcha: CAPTCHA_ASKED,
  relayed_consent: CONSENT_ASKED,
  relayed_digest: DIGEST.event
}

/** The event and the agent that a letter is about; `null` if no event is known. */
export const aboutOf = (template: string, values: Readonly<Record<string, string>>): About | null => {
  const event = values["event"] ?? BY_TEMPLATE[template]
  return event === undefined ? null : { agent: values["of"] ?? "", event }
}
