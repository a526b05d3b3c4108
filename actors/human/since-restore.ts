/**
 * An account after a restore, without things that its owner may have ended or used since the backup. Sessions, links of
 * letters and codes of chats end. Codes of an authenticator app are valid only from the restore on. Recovery codes
 * stay, because without them a lost app would lock the owner out.
 */
import type { Human, HumanState } from "./state.ts"
import { stepAfter } from "./totp.ts"

/** `restoredAt`: Unix ms of the last restore. */
export const seenSince =
  ({ chat_code_seconds }: { readonly chat_code_seconds: number }) =>
  (state: HumanState, restoredAt: number): HumanState => {
    if (state === null || state.status === "deleted") return state
    const { sessions, links, letters, chat, two_step } = state
    const isNew = (at: number): boolean => at > restoredAt
    const offered = chat.offered !== null && isNew(chat.offered.expires_at - chat_code_seconds * 1000)
    return {
      ...state,
      sessions: sessions.filter(({ opened_at }) => isNew(opened_at)),
      // The newest letter of a purpose contained the purpose's valid link.
      links: links.filter(({ purpose }) => isNew(letters[purpose].at(-1) ?? 0)),
      chat: offered ? chat : { ...chat, offered: null },
      two_step: two_step === null ? null : usedUntil(two_step, restoredAt)
    }
  }

const usedUntil = (two_step: NonNullable<Human["two_step"]>, restoredAt: number): Human["two_step"] => ({
  ...two_step,
  step: Math.max(two_step.step ?? 0, stepAfter(restoredAt))
})
