/**
 * The part of Chromium's DevTools protocol that a fill needs. Playwright is not used: while it is connected, every page
 * reports that it is visible and focused, so the tab in front could not be found. Playwright also attaches to all tabs
 * of the agent, and this module attaches to one.
 */
import { Refused } from "./refusal.ts"

const CONNECT_TIMEOUT_MS = 5_000
const ANSWER_TIMEOUT_MS = 10_000

export const unreachable = (reason: string): Refused => new Refused("browser_unreachable", reason)

/** The browser refused a command, for example because the page is gone. */
export class CommandFailed extends Error {}

type Members = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Members
  readonly result?: Members
  readonly error?: { readonly message?: string }
  readonly sessionId?: string
}

interface Pending {
  readonly resolve: (result: Members) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

export interface Browser {
  readonly send: <A = Members>(method: string, params?: object, session?: string) => Promise<A>
  readonly listen: (listener: (method: string, params: Members, session: string | undefined) => void) => void
  readonly close: () => void
}

const asJson = async (url: string, what: string): Promise<unknown> => {
  try {
    const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
    return await answer.json()
  } catch {
    throw unreachable(`The browser does not tell ${what}.`)
  }
}

export interface Target {
  readonly id: string
  readonly type: string
  readonly url: string
}

const isTarget = (value: unknown): value is Target =>
  typeof value === "object" && value !== null && "id" in value && "type" in value && "url" in value

/** The tabs. The one that was active last comes first. */
export const targetsOf = async (cdp: string): Promise<ReadonlyArray<Target>> => {
  const list = await asJson(`${cdp}/json/list`, "its tabs")
  return Array.isArray(list) ? list.filter(isTarget) : []
}

const opened = (address: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(address)
    const failed = (): void => reject(unreachable("The browser cannot be reached."))
    const timer = setTimeout(() => {
      socket.close()
      failed()
    }, CONNECT_TIMEOUT_MS)
    socket.addEventListener("open", () => {
      clearTimeout(timer)
      resolve(socket)
    })
    socket.addEventListener("error", () => {
      clearTimeout(timer)
      failed()
    })
  })

const addressOf = async (cdp: string): Promise<string> => {
  const about = await asJson(`${cdp}/json/version`, "where it listens")
  const address =
    typeof about === "object" && about !== null && "webSocketDebuggerUrl" in about ? about.webSocketDebuggerUrl : null
  if (typeof address !== "string" || !URL.canParse(address)) throw unreachable("The browser tells no address.")
  const url = new URL(address)
  // The browser reports an address from its own point of view, so the host of `cdp` is used instead.
  url.host = new URL(cdp).host
  return url.href
}

export const openBrowser = async (cdp: string): Promise<Browser> => {
  const socket = await opened(await addressOf(cdp))
  const pending = new Map<number, Pending>()
  const listeners: Array<Parameters<Browser["listen"]>[0]> = []
  let last = 0
  const settle = (id: number): Pending | undefined => {
    const one = pending.get(id)
    clearTimeout(one?.timer)
    pending.delete(id)
    return one
  }
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params = {}, result = {}, error, sessionId } = JSON.parse(String(data)) as Message
    if (id === undefined) {
      if (method !== undefined) for (const listener of listeners) listener(method, params, sessionId)
      return
    }
    const one = settle(id)
    if (error === undefined) one?.resolve(result)
    else one?.reject(new CommandFailed(error.message ?? "refused"))
  })
  socket.addEventListener("close", () => {
    for (const id of pending.keys()) settle(id)?.reject(unreachable("The browser has gone."))
  })
  return {
    send: <A>(method: string, params: object = {}, session?: string): Promise<A> =>
      new Promise<A>((resolve, reject) => {
        const id = ++last
        const late = (): void => settle(id)?.reject(unreachable("The browser does not answer."))
        const timer = setTimeout(late, ANSWER_TIMEOUT_MS)
        pending.set(id, { resolve: (result) => resolve(result as A), reject, timer })
        socket.send(JSON.stringify({ id, method, params, ...(session === undefined ? {} : { sessionId: session }) }))
      }),
    listen: (listener) => {
      listeners.push(listener)
    },
    close: () => socket.close()
  }
}
