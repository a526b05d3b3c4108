/**
 * The page of a fill: its top document at the time when the fill was granted, and the frames in it.
 *
 * Invariants
 *  - Once another document is loaded in the tab, or begins to load, nothing more is typed.
 *  - Secrets are typed in, but no value of a field is ever read out.
 */
import { type Browser, CommandFailed, type Target } from "./cdp.ts"
import { documentIn, type Frame, originOf, type PageDocument, PageMoved, treeOf } from "./document.ts"
import { type FrameSession, framesOf } from "./frames.ts"
import { Refused } from "./refusal.ts"

export interface Page {
  readonly top: PageDocument
  readonly origin: string
  readonly frames: () => Promise<ReadonlyArray<PageDocument>>
  readonly current: () => Promise<PageDocument>
  /** Throws if another document has been loaded, or begins to load. */
  readonly still: () => void
  /** Like `still`, but asks the browser. */
  readonly check: () => Promise<void>
  readonly input: (method: string, params: object) => Promise<unknown>
  /** Returns a function that tells if the browser has sent this event of the page since the call. */
  readonly heard: (method: string) => () => boolean
  /** Returns a function that tells if the page has sent data anywhere since the call. */
  readonly requested: () => Promise<() => boolean>
  /** The error to report. If the page has changed or is gone, that is a refusal which says so. */
  readonly reason: (error: unknown) => Promise<unknown>
  readonly end: () => Promise<void>
}

interface BrowserEvent {
  readonly frame?: Frame
  readonly frameId?: string
  readonly url?: string
  readonly targetInfo?: { readonly targetId: string; readonly type: string }
  readonly sessionId?: string
  readonly navigationType?: string
}

const READS = ["GET", "HEAD", "OPTIONS"]
/** Requests of these types do not count as sending the form: pings, permission checks and policy reports. */
const NO_DATA = ["Ping", "Preflight", "CSPViolationReport"]

const isSending = (method: string, params: object): boolean => {
  if (method === "Network.webSocketFrameSent") return true
  const { request, type = "" } = params as { readonly request?: { readonly method: string }; readonly type?: string }
  const isData = request !== undefined && !READS.includes(request.method) && !NO_DATA.includes(type)
  return method === "Network.requestWillBeSent" && isData
}

interface Watch {
  readonly moved: boolean
  /** The address that the page has navigated to, or is navigating to. */
  readonly towards: string | null
  readonly within: ReadonlyArray<FrameSession>
  readonly forget: () => void
}

const WITHIN_DOCUMENT = ["sameDocument", "historySameDocument"]

const watch = (browser: Browser, session: string, top: string): Watch => {
  const state = { moved: false, towards: null as string | null }
  const within: Array<FrameSession> = []
  const go = (url: string | undefined): void => {
    state.moved = true
    state.towards = url ?? null
  }
  browser.listen((method, params, from) => {
    if (from !== session) return
    const { frame, frameId, url, targetInfo, sessionId, navigationType = "" } = params as BrowserEvent
    if (method === "Page.frameNavigated" && frame?.id === top) go(frame.url)
    if (method === "Page.frameStartedNavigating" && frameId === top && !WITHIN_DOCUMENT.includes(navigationType))
      go(url)
    if (method === "Inspector.detached" || method === "Inspector.targetCrashed") go(undefined)
    if (method === "Target.attachedToTarget" && targetInfo?.type === "iframe" && sessionId !== undefined)
      within.push({ session: sessionId, id: targetInfo.targetId })
  })
  return {
    get moved() {
      return state.moved
    },
    get towards() {
      return state.towards
    },
    within,
    forget: () => Object.assign(state, { moved: false, towards: null })
  }
}

const attach = async (browser: Browser, { id }: Target): Promise<string> => {
  try {
    const params = { targetId: id, flatten: true }
    return (await browser.send<{ readonly sessionId: string }>("Target.attachToTarget", params)).sessionId
  } catch (error) {
    throw error instanceof CommandFailed ? new Refused("browser_unreachable", "The tab has gone.") : error
  }
}

export const openPage = async (browser: Browser, target: Target): Promise<Page> => {
  const session = await attach(browser, target)
  // The id of a tab's top frame stays the same when another document is loaded.
  const watched = watch(browser, session, (await treeOf(browser, session)).frame.id)
  await Promise.all([
    browser.send("Page.enable", {}, session),
    // With this, a page in the background accepts keys like one in front.
    browser.send("Emulation.setFocusEmulationEnabled", { enabled: true }, session)
  ])
  const { frame } = await treeOf(browser, session)
  watched.forget()
  const current = async (): Promise<PageDocument> =>
    documentIn(browser, session, (await treeOf(browser, session)).frame, async (point) => point)
  const top = await documentIn(browser, session, frame, async (point) => point)
  const still = (): void => {
    if (watched.moved) throw new PageMoved("Another page has been loaded.")
  }
  const check = async (): Promise<void> => {
    still()
    const now = (await treeOf(browser, session)).frame
    still()
    if (now.loaderId !== frame.loaderId || originOf(now) !== top.origin) throw new PageMoved("Another page is open.")
  }
  const isElsewhere = async (): Promise<boolean> => {
    const { towards } = watched
    if (towards !== null && (!URL.canParse(towards) || new URL(towards).origin !== top.origin)) return true
    const now = await treeOf(browser, session).catch(() => null)
    return now !== null && originOf(now.frame) !== top.origin
  }
  const reason = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof PageMoved) && !(error instanceof CommandFailed)) return error
    return (await isElsewhere())
      ? new Refused("origin_mismatch", "The page went to another website meanwhile.")
      : new Refused("field_not_found", "The page has changed meanwhile.")
  }
  return {
    top,
    origin: top.origin,
    frames: () => framesOf(browser, { session, top: frame }, watched.within),
    current,
    still,
    check,
    input: (method, params) => browser.send(method, params, session),
    heard: (wanted) => {
      let told = false
      browser.listen((method, _params, from) => {
        if (from === session && method === wanted) told = true
      })
      return () => told
    },
    requested: async () => {
      const sessions = [session, ...watched.within.map((one) => one.session)]
      let sending = false
      browser.listen((method, params, from) => {
        if (from !== undefined && sessions.includes(from) && isSending(method, params)) sending = true
      })
      await Promise.all(sessions.map((one) => browser.send("Network.enable", {}, one)))
      return () => sending
    },
    reason,
    end: async () => {
      await browser.send("Target.detachFromTarget", { sessionId: session }).catch(() => undefined)
    }
  }
}
