/** A registration challenge (spec 2.7, 3.3): id = 32 hex characters. `null` is one that was never made. */
import type { Question } from "./questions/question.ts"

export type ChallengeStatus = "open" | "served" | "consumed" | "void"

export interface Challenge {
  readonly public_key: string
  readonly hub_id: string
  readonly prefix: string
  readonly difficulty: number
  /** Unix ms. */
  readonly created_at: number
  readonly status: ChallengeStatus
  readonly questions: ReadonlyArray<Question>
  /** Unix ms at which the answers are due; 0 before the questions were served. */
  readonly answers_due: number
}

export type ChallengeState = Challenge | null

export type ChallengeEvent =
  | {
      readonly type: "challenge.created"
      readonly v: 1
      readonly public_key: string
      readonly hub_id: string
      readonly prefix: string
      readonly difficulty: number
    }
  | {
      readonly type: "challenge.served"
      readonly v: 1
      readonly questions: ReadonlyArray<Question>
      readonly answers_due: number
    }
  | { readonly type: "challenge.voided"; readonly v: 1; readonly reason: string }
  | { readonly type: "challenge.consumed"; readonly v: 1; readonly agent: string | null }

export const CHALLENGE_EVENTS = {
  "challenge.created": 1,
  "challenge.served": 1,
  "challenge.voided": 1,
  "challenge.consumed": 1
} as const satisfies Record<ChallengeEvent["type"], number>

export const evolve = (state: ChallengeState, event: ChallengeEvent, meta: { readonly at: number }): ChallengeState => {
  if (event.type === "challenge.created") {
    const { type: _type, v: _v, ...fields } = event
    return { ...fields, created_at: meta.at, status: "open", questions: [], answers_due: 0 }
  }
  if (state === null) return null
  switch (event.type) {
    case "challenge.served":
      return { ...state, status: "served", questions: event.questions, answers_due: event.answers_due }
    // The questions are spent: nothing needs their answers any more.
    case "challenge.voided":
      return { ...state, status: "void", questions: [] }
    case "challenge.consumed":
      return { ...state, status: "consumed", questions: [] }
  }
}
