/** Names that are used in the place of a template's name, and their common parts. */
import { CAPTCHA_ASKED, CONSENT_ASKED, DIGEST, OWNER_ASKED } from "../../schemas/relay/events.ts"

/** It goes to a chat, and its text is ready (actors/chat/). */
export const CHAT = "chat"
/** It goes to a browser, and its text is ready (actors/push/). */
export const PUSH = "push"

/** True for letters about events of agents. Each attempt counts those of an hour. */
export const isRelayed = (template: string): boolean => template.startsWith("relayed_")

interface About {
  /** Hub id. */
  readonly agent: string
  readonly event: string
}

/** Added to the values of a letter, for a later check whether there is room for it. */
export const subjectValues = ({ agent, event }: About): Readonly<Record<string, string>> => ({ of: agent, event })

/** Letters of older releases do not name the event, but some templates imply it. */
const BY_TEMPLATE: Readonly<Record<string, string>> = {
  relayed_words: OWNER_ASKED,
  relayed_captcha: CAPTCHA_ASKED,
  relayed_consent: CONSENT_ASKED,
  relayed_digest: DIGEST.event
}

/** The event and the agent that a letter is about; `null` if it does not say so. */
export const aboutOf = (template: string, values: Readonly<Record<string, string>>): About | null => {
  const event = values["event"] ?? BY_TEMPLATE[template]
  return event === undefined ? null : { agent: values["of"] ?? "", event }
}
