/** The statuses of actors, computed from their states, and the actors that need a state of their own (standing.ts). */
import type { AgentState } from "../../actors/agent/state.ts"
import type { CaptchaState } from "../../actors/captcha/state.ts"
import type { CompartmentState } from "../../actors/compartment/state.ts"
import { isThere } from "../../actors/compartment/state.ts"
import type { DeliveryState } from "../../actors/delivery/state.ts"
import type { HumanState } from "../../actors/human/state.ts"
import type { LetterState } from "../../actors/letter/state.ts"
import type { MailboxState } from "../../actors/mail/box/state.ts"
import type { NoticeState } from "../../actors/mail/notice/state.ts"
import type { MailSendingState } from "../../actors/mail/sending/state.ts"
import type { PostState } from "../../actors/post/state.ts"
import type { ReplyState } from "../../actors/reply/state.ts"
import type { ReportState } from "../../actors/report/state.ts"
import type { SponsorshipState } from "../../actors/sponsorship/state.ts"
import type { ThreadState } from "../../actors/thread/state.ts"
import type { VaultState } from "../../actors/vault/state.ts"

/** The status of an actor whose events have created nothing. */
const NOTHING = "nothing"

type Content = { readonly deleted: boolean; readonly hidden: unknown } | null

/** The status of a post, thread or reply. `hidden (…)` names the status that the content has after it is restored. */
const contentStatus = (state: Content, shown: string): string => {
  if (state === null) return NOTHING
  if (state.deleted) return "deleted"
  return state.hidden === null ? shown : `hidden (${shown})`
}

/**
 * The name of the status must include every part of a state that influences how `evolve` reaches another status,
 * because states with the same name replace each other (standing.ts).
 */
const STATUSES = {
  agent: (state: AgentState) =>
    state === null ? NOTHING : state.provisional ? `${state.status} (provisional)` : state.status,
  captcha: (state: CaptchaState) => state?.state ?? NOTHING,
  compartment: (state: CompartmentState) => state?.status ?? NOTHING,
  delivery: (state: DeliveryState) => state?.status ?? NOTHING,
  human: (state: HumanState) => state?.status ?? NOTHING,
  letter: (state: LetterState) => state?.status ?? NOTHING,
  mail_notice: (state: NoticeState) => state?.status ?? NOTHING,
  mail_sending: (state: MailSendingState) => {
    if (state === null) return NOTHING
    return state.phase === "over" ? state.status : `${state.status} (${state.phase})`
  },
  mailbox: (state: MailboxState) => state?.status ?? NOTHING,
  post: (state: PostState) => contentStatus(state, "shown"),
  reply: (state: ReplyState) => contentStatus(state, "shown"),
  report: (state: ReportState) => state?.status ?? NOTHING,
  sponsorship: (state: SponsorshipState) => state?.status ?? NOTHING,
  thread: (state: ThreadState) => contentStatus(state, state?.status ?? NOTHING),
  vault: (state: VaultState) => state?.status ?? NOTHING
}

/** Fills that wait for an owner or for the fill service. */
export const openFills = (state: VaultState) =>
  (state?.fills ?? []).filter(({ status }) => status === "asked" || status === "pending")

/**
 * The state that is kept for one actor, without parts that neither statuses nor the report need. `null` if the status
 * is enough.
 */
const WHOLE = {
  compartment: (state: CompartmentState): CompartmentState =>
    isThere(state) ? { ...state, command: "", secrets: [], hub_key: null, uploads: [], links: [], notes: [] } : null,
  vault: (state: VaultState): VaultState => (openFills(state).length === 0 ? null : state)
}

/** Removes parts of a shared state that differ between actors: each vault numbers its own fills. */
const SHARED = {
  vault: (state: VaultState): VaultState => (state === null ? null : { ...state, fills: [] })
}

/** For each kind of work, a function that returns true for a status of unfinished work. */
export const UNDONE: Readonly<Record<string, (status: string) => boolean>> = {
  delivery: (status) => status === "pending",
  letter: (status) => status === "waiting" || status === "sending",
  mail_notice: (status) => status === "waiting",
  mail_sending: (status) => status.endsWith(")")
}

export const isOpenReport = (status: string): boolean => status === "open" || status === "reviewing"

const of = <Names extends object, Name extends keyof Names>(names: Names, name: string): Names[Name] | undefined =>
  Object.hasOwn(names, name) ? names[name as Name] : undefined

type Any<Result> = (state: unknown) => Result

/** `undefined` for a kind whose actors are only counted. */
export const statusOf = (kind: string): Any<string> | undefined => of(STATUSES, kind) as Any<string> | undefined

export const wholeOf = (kind: string): Any<unknown> | undefined => of(WHOLE, kind) as Any<unknown> | undefined

export const sharedOf = (kind: string): Any<unknown> | undefined => of(SHARED, kind) as Any<unknown> | undefined
