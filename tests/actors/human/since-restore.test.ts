/** An account after a restore: what its owner may have ended or used since the backup holds no more. */
import { expect, test } from "vitest"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { seenSince } from "../../../actors/human/since-restore.ts"
import type { HumanEvent, HumanState } from "../../../actors/human/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const { owner } = LIMITS.limits
const AT = 1_800_000_000_000
const HOUR_MS = 3_600_000
const STEP_MS = 30_000

const account = (at: number): HumanState => {
  const expires_at = at + HOUR_MS
  const events: ReadonlyArray<HumanEvent> = [
    {
      type: "human.registered",
      v: 1,
      personal: "sealed1.a",
      address: "address",
      password: { sealed: "sealed1.b", parameters: { memory_kib: 1, passes: 1, parallelism: 1 } as never }
    },
    { type: "human.link_made", v: 1, purpose: "reset_password", token: "one", expires_at },
    { type: "human.session_opened", v: 1, session: 1, token: "two", expires_at },
    { type: "human.session_opened", v: 1, session: 2, token: "three", expires_at, console: true },
    { type: "human.two_step_enabled", v: 1, sealed: "sealed1.c", left: 10, step: 1 },
    { type: "human.chat_offered", v: 1, code: "four", expires_at: at + owner.chat_code_seconds * 1000 }
  ]
  return events.reduce<HumanState>((state, event) => evolveHuman(state, event, { at }), null)
}

const see = seenSince(owner)

test("sessions, links, codes of chats and of an app end; recovery codes and the password stay", () => {
  const before = account(AT)
  expect(see(before, AT)).toEqual({
    ...before,
    sessions: [],
    links: [],
    chat: { linked: null, offered: null, told: [] },
    two_step: { sealed: "sealed1.c", left: 10, step: Math.floor(AT / STEP_MS) + 1 }
  })
})

test("what begins after the restore holds", () => {
  const since = account(AT + 1)
  const { two_step: _step, ...rest } = see(since, AT) as Exclude<HumanState, null | { status: "deleted" }>
  const { two_step: _was, ...was } = since as Exclude<HumanState, null | { status: "deleted" }>
  expect(rest).toEqual(was)
  expect([see(null, AT), see({ status: "deleted" }, AT)]).toEqual([null, { status: "deleted" }])
})
