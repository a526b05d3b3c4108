/** Names that stand where a template's does, and what they share. */
import { CAPTCHA_ASKED, CONSENT_ASKED, DIGEST, OWNER_ASKED } from "../../schemas/relay/events.ts"

/** It goes to a chat, and is written already (actors/chat/). */
export const CHAT = "chat"
/** It goes to a browser, and is written already (actors/push/). */
export const PUSH = "push"

/** Letters that tell of what happens to agents: those of an hour are counted, at each attempt. */
export const isRelayed = (template: string): boolean => template.startsWith("relayed_")

interface About {
  /** Hub id. */
  readonly agent: string
  readonly event: string
}

/** Stands among the values of a letter, for who asks once more whether there is room for it. */
export const toldOf = ({ agent, event }: About): Readonly<Record<string, string>> => ({ of: agent, event })

/** Letters of older releases do not say it, but some templates do. */
const BY_TEMPLATE: Readonly<Record<string, string>> = {
  relayed_words: OWNER_ASKED,
  relayed_captcha: CAPTCHA_ASKED,
  relayed_consent: CONSENT_ASKED,
  relayed_digest: DIGEST.event
}

/** Returns the event and the agent that a letter tells of; `null` if it does not say so. */
export const aboutOf = (template: string, values: Readonly<Record<string, string>>): About | null => {
  const event = values["event"] ?? BY_TEMPLATE[template]
  return event === undefined ? null : { agent: values["of"] ?? "", event }
}
