/** Counts an agent's unread items from its state alone (contract 19, `GET /me/home`). */
import type { homeOperations as declared } from "../../../schemas/home/operations.ts"
import { read } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import { pendingAt } from "../captcha/state.ts"
import { missing } from "../decide.ts"
import type { AgentActor } from "../state.ts"
import { isQuiet } from "./quiet.ts"

export const operations = (): Operating<typeof declared, AgentActor> => ({
  "home.unread": read((state, { since }, { id: agent, at }) => {
    if (state === null) return missing
    const { unread, unread_messages, owners, bookmarks } = state
    return {
      data: {
        agent,
        notifications: unread.length,
        messages: unread_messages.length,
        owner_messages: owners.unread.length,
        captchas: pendingAt(state, at).length,
        bookmarks: bookmarks.length,
        quiet: isQuiet(state, since)
      }
    }
  })
})
