/**
 * Queries a Docker engine: whether it answers, its settings, and its running containers. Each query has a time limit.
 */
import Docker from "dockerode"
import { connect } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { patience } from "../launcher/patience.ts"

const CALL_TIMEOUT_MS = 20_000
const ANSWER_PAUSE_MS = 100

export const clientOf = (socket: string, timeout = CALL_TIMEOUT_MS): Docker =>
  new Docker({ socketPath: socket, timeout })

export interface EngineFacts {
  /** True if root in a container has no rights on the host. */
  readonly remapsUsers: boolean
  readonly version: string
}

interface Info {
  readonly ServerVersion?: string
  readonly SecurityOptions?: ReadonlyArray<string> | null
}

/** `null` if no engine answers. */
export const factsOf = async (socket: string): Promise<EngineFacts | null> => {
  const info = await (clientOf(socket).info() as Promise<Info>).catch(() => null)
  if (info?.ServerVersion === undefined) return null
  const remapsUsers = (info.SecurityOptions ?? []).some((option) => option.split(",").includes("name=userns"))
  return { remapsUsers, version: info.ServerVersion }
}

/** Resolves when an engine answers; `null` if that takes too long, or as soon as `goesOn` returns false. */
export const untilAnswer = async (
  socket: string,
  withinMs: number,
  goesOn: () => Promise<boolean>
): Promise<EngineFacts | null> => {
  const isOver = patience(withinMs)
  for (;;) {
    const facts = await factsOf(socket)
    if (facts !== null || isOver() || !(await goesOn())) return facts
    await delay(ANSWER_PAUSE_MS)
  }
}

const listens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const line = connect(socket)
    line.once("connect", () => {
      line.destroy()
      resolve(true)
    })
    line.once("error", () => resolve(false))
  })

/**
 * Resolves to true when something listens on the socket. `false` if that takes too long, or as soon as `goesOn` returns
 * false.
 */
export const untilListens = async (
  socket: string,
  withinMs: number,
  goesOn: () => Promise<boolean>
): Promise<boolean> => {
  const isOver = patience(withinMs)
  for (;;) {
    if (await listens(socket)) return true
    if (isOver() || !(await goesOn())) return false
    await delay(ANSWER_PAUSE_MS)
  }
}

export interface RunningContainer {
  readonly id: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** Running containers with a label and value, or all; `null` if no engine answers. */
export const runningIn = async (socket: string, label?: string): Promise<ReadonlyArray<RunningContainer> | null> => {
  const filters = label === undefined ? {} : { filters: JSON.stringify({ label: [label] }) }
  const found = await clientOf(socket)
    .listContainers(filters)
    .catch(() => null)
  if (found === null) return null
  return found.map(({ Id, Names, Labels }) => ({ id: Id, name: (Names[0] ?? Id).replace(/^\//, ""), labels: Labels }))
}
