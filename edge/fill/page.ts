/**
 * The page that a fill is for: its top document as it was when the fill was granted, and the frames in it.
 *
 * Invariants
 *  - What looks at the page runs in a world of its own: the page's scripts cannot change what it calls.
 *  - That world belongs to one document. Once another is loaded nothing here works any more, whatever its address.
 *  - A secret goes in as keys; no value of a field ever comes out.
 */
import { type Browser, CommandFailed, type Target } from "./cdp.ts"
import type { Scan } from "./page/dom.ts"
import { type InPage, PROGRAM } from "./program.ts"
import { Refused } from "./refusal.ts"

const WORLD = "hub-fill"
const FRAMES_MAX = 20

export interface Frame {
  readonly id: string
  readonly loaderId: string
  readonly url: string
  readonly securityOrigin: string
}
interface FrameTree {
  readonly frame: Frame
  readonly childFrames?: ReadonlyArray<FrameTree>
}

/** A document in which fields may be found: the top one, or one of a frame. */
export interface PageDocument {
  readonly origin: string
  readonly scan: () => Promise<Scan>
  readonly call: <A>(name: InPage, ...args: ReadonlyArray<unknown>) => Promise<A>
}

export interface Page {
  readonly top: PageDocument
  readonly origin: string
  /** Of frames that stand in the top document for people to see, and belong to another origin than it. */
  readonly frames: () => Promise<ReadonlyArray<PageDocument>>
  /** Throws where another document has been loaded, or is about to be. */
  readonly still: () => void
  /** As `still`, and asks the browser. */
  readonly check: () => Promise<void>
  readonly input: (method: string, params: object) => Promise<unknown>
  /** Why a fill broke off: the page may have gone elsewhere meanwhile. */
  readonly reason: (error: unknown) => Promise<unknown>
  readonly end: () => Promise<void>
}

/** The page is another than the one that was looked at. */
export class PageMoved extends Error {}

/** What a browser shows that is no document of the address: `blob:`, `data:`, a sandbox, an error. */
export const originOf = ({ url, securityOrigin }: Frame): string => {
  if (!URL.canParse(url)) return "null"
  const { protocol, origin } = new URL(url)
  return protocol === "https:" && origin === securityOrigin ? origin : protocol === "http:" ? origin : "null"
}

const documentIn = async (browser: Browser, session: string, frame: Frame): Promise<PageDocument> => {
  const { executionContextId } = await browser.send<{ readonly executionContextId: number }>(
    "Page.createIsolatedWorld",
    { frameId: frame.id, worldName: WORLD },
    session
  )
  const evaluated = await browser.send<{
    readonly result: { readonly objectId?: string }
    readonly exceptionDetails?: object
  }>("Runtime.evaluate", { expression: PROGRAM, contextId: executionContextId }, session)
  const { objectId } = evaluated.result
  if (objectId === undefined || evaluated.exceptionDetails !== undefined)
    throw new PageMoved("The page cannot be looked at.")
  const call = async <A>(name: InPage, ...args: ReadonlyArray<unknown>): Promise<A> => {
    const { result, exceptionDetails } = await browser.send<{
      readonly result: { readonly value?: unknown }
      readonly exceptionDetails?: object
    }>(
      "Runtime.callFunctionOn",
      {
        objectId,
        functionDeclaration: "function (name, args) { return this[name](...args) }",
        arguments: [{ value: name }, { value: args }],
        returnByValue: true
      },
      session
    )
    if (exceptionDetails !== undefined) throw new PageMoved("The page does not let itself be looked at.")
    return result.value as A
  }
  return { origin: originOf(frame), scan: () => call<Scan>("scan"), call }
}

const treeOf = async (browser: Browser, session: string): Promise<FrameTree> => {
  const { frameTree } = await browser.send<{ readonly frameTree: FrameTree }>("Page.getFrameTree", {}, session)
  return frameTree
}

/** The element of a frame is looked at from the document around it. */
const isShown = async (browser: Browser, session: string, top: Frame, frame: Frame): Promise<boolean> => {
  try {
    const { backendNodeId } = await browser.send<{ readonly backendNodeId: number }>(
      "DOM.getFrameOwner",
      { frameId: frame.id },
      session
    )
    const { executionContextId } = await browser.send<{ readonly executionContextId: number }>(
      "Page.createIsolatedWorld",
      { frameId: top.id, worldName: WORLD },
      session
    )
    const { object } = await browser.send<{ readonly object: { readonly objectId: string } }>(
      "DOM.resolveNode",
      { backendNodeId, executionContextId },
      session
    )
    const declared = `function () { return ${PROGRAM}.isShown(this) }`
    const { result } = await browser.send<{ readonly result: { readonly value?: unknown } }>(
      "Runtime.callFunctionOn",
      { objectId: object.objectId, functionDeclaration: declared, returnByValue: true },
      session
    )
    return result.value === true
  } catch (error) {
    // A frame of a frame has no element in this document.
    if (error instanceof CommandFailed) return false
    throw error
  }
}

export const openPage = async (browser: Browser, target: Target): Promise<Page> => {
  const attached = await browser
    .send<{ readonly sessionId: string }>("Target.attachToTarget", { targetId: target.id, flatten: true })
    .catch((error: unknown) => {
      throw error instanceof CommandFailed ? new Refused("browser_unreachable", "The tab has gone.") : error
    })
  const session = attached.sessionId
  let moved = false
  const within: Array<{ readonly session: string; readonly id: string }> = []
  let { frame } = await treeOf(browser, session)
  browser.listen((method, params, from) => {
    if (from !== session) return
    const {
      frame: loaded,
      frameId,
      targetInfo,
      sessionId,
      navigationType
    } = params as {
      readonly frame?: Frame
      readonly frameId?: string
      readonly targetInfo?: { readonly targetId: string; readonly type: string }
      readonly sessionId?: string
      readonly navigationType?: string
    }
    if (method === "Page.frameNavigated" && loaded?.id === frame.id) moved = true
    if (method === "Page.frameStartedNavigating" && frameId === frame.id)
      moved ||= navigationType !== "sameDocument" && navigationType !== "historySameDocument"
    if (method === "Inspector.detached" || method === "Inspector.targetCrashed") moved = true
    if (method === "Target.attachedToTarget" && targetInfo?.type === "iframe" && sessionId !== undefined)
      within.push({ session: sessionId, id: targetInfo.targetId })
  })
  await Promise.all([
    browser.send("Page.enable", {}, session),
    // A page in the background takes keys as one in front does.
    browser.send("Emulation.setFocusEmulationEnabled", { enabled: true }, session)
  ])
  const tree = await treeOf(browser, session)
  frame = tree.frame
  moved = false
  const top = await documentIn(browser, session, frame)
  const still = (): void => {
    if (moved) throw new PageMoved("Another page has been loaded.")
  }

  const framesOf = async (): Promise<ReadonlyArray<PageDocument>> => {
    await browser.send(
      "Target.setAutoAttach",
      { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
      session
    )
    const own = ((await treeOf(browser, session)).childFrames ?? []).map((one) => ({ session, frame: one.frame }))
    const others = await Promise.all(
      within.map(async (one) => ({ session: one.session, frame: (await treeOf(browser, one.session)).frame }))
    )
    const shown: Array<PageDocument> = []
    for (const one of [...own, ...others].slice(0, FRAMES_MAX)) {
      if (await isShown(browser, session, frame, one.frame))
        shown.push(await documentIn(browser, one.session, one.frame))
    }
    return shown
  }

  const check = async (): Promise<void> => {
    still()
    const now = (await treeOf(browser, session)).frame
    still()
    if (now.loaderId !== frame.loaderId || originOf(now) !== top.origin) throw new PageMoved("Another page is open.")
  }

  const reason = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof PageMoved) && !(error instanceof CommandFailed)) return error
    const now = await treeOf(browser, session).catch(() => null)
    return now !== null && originOf(now.frame) !== top.origin
      ? new Refused("origin_mismatch", "The page went to another website meanwhile.")
      : new Refused("field_not_found", "The page has changed meanwhile.")
  }

  return {
    top,
    origin: top.origin,
    frames: framesOf,
    still,
    check,
    input: (method, params) => browser.send(method, params, session),
    reason,
    end: async () => {
      await browser.send("Target.detachFromTarget", { sessionId: session }).catch(() => undefined)
    }
  }
}
