/** The way to an edge, on which answers can be lost after the edge has done what it was asked. */
import { type Asked, type Player, startPlayer } from "./player.ts"

const HOP_BY_HOP = ["host", "connection", "content-length", "transfer-encoding", "keep-alive"]

export interface Lossy extends Player {
  /** The answers to such requests are lost, so many of them. */
  readonly lose: (method: string, target: RegExp, times: number) => void
  /** The answer to the next such request is never given, while the edge has done it; `held` waits for that. */
  readonly hold: (method: string, target: RegExp) => void
  readonly held: () => Promise<void>
}

const without = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !HOP_BY_HOP.includes(name))
      .map(([name, value]) => [name, String(value)])
  )

export async function lossyWay(edge: string): Promise<Lossy> {
  let losing: { readonly method: string; readonly target: RegExp; left: number } | undefined
  const isLost = ({ method, target }: Asked): boolean => {
    if (losing === undefined || losing.left === 0 || method !== losing.method || !losing.target.test(target))
      return false
    losing.left -= 1
    return true
  }
  let holding: { readonly method: string; readonly target: RegExp } | undefined
  const held = Promise.withResolvers<void>()
  const player = await startPlayer(async (asked, response) => {
    const { method, target, headers, body } = asked
    const answer = await fetch(`${edge}${target}`, {
      method,
      headers: without(headers),
      ...(body === "" ? {} : { body })
    })
    const text = await answer.text()
    if (holding?.method === method && holding.target.test(target)) return held.resolve()
    if (isLost(asked)) return void response.destroy()
    response.writeHead(answer.status, without(Object.fromEntries(answer.headers))).end(text)
  })
  return {
    ...player,
    lose: (method, target, times) => {
      losing = { method, target, left: times }
    },
    hold: (method, target) => {
      holding = { method, target }
    },
    held: () => held.promise
  }
}
