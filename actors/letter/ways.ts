/** Names that stand where a template's does, and what they share. */

/** It goes to a chat, and is written already (actors/chat/). */
export const CHAT = "chat"
/** It goes to a browser, and is written already (actors/push/). */
export const PUSH = "push"

/** Letters that tell of what happens to agents: those of an hour are counted, at each attempt. */
export const isRelayed = (template: string): boolean => template.startsWith("relayed_")
