/**
 * Decisions on notifications of a thread's activity. Pure. All commands come from reactions, so each event arrives
 * once.
 */
import type { watchOperations } from "../../schemas/watch/operations.ts"
import type { Decision } from "../engine/definition.ts"
import { type WatchEvent, type WatchState, WATCHERS_MAX } from "./state.ts"

type Input<Op extends keyof typeof watchOperations> = (typeof watchOperations)[Op]["input"]["Type"]

const NOTHING: Decision<WatchEvent> = { events: [] }

const watches = ({ watchers }: WatchState, agent: string): boolean => watchers.some((one) => one.agent === agent)

export const decideJoined = (state: WatchState, { agent }: Input<"watch.joined">): Decision<WatchEvent> =>
  watches(state, agent) || state.watchers.length >= WATCHERS_MAX
    ? NOTHING
    : { events: [{ type: "watch.joined", v: 1, agent }] }

export const decideLeft = (state: WatchState, { agent }: Input<"watch.left">): Decision<WatchEvent> =>
  watches(state, agent) ? { events: [{ type: "watch.left", v: 1, agent }] } : NOTHING

export const decideSeen = ({ watchers }: WatchState, { agent }: Input<"watch.seen">): Decision<WatchEvent> =>
  watchers.some((one) => one.agent === agent && one.told) ? { events: [{ type: "watch.seen", v: 1, agent }] } : NOTHING

export const decideReplied = (
  { watchers }: WatchState,
  { reply, author, title, replies, told }: Input<"watch.replied">
): Decision<WatchEvent> => {
  const others = new Set([author, ...told])
  const agents = watchers
    .filter((one) => !one.told && !others.has(one.agent))
    .map(({ agent, at }) => ({ agent, new_replies: at === null ? 1 : Math.max(1, replies - at) }))
  return agents.length === 0
    ? NOTHING
    : { events: [{ type: "watch.told", v: 1, reply, title, author, replies, agents }] }
}
