/**
 * A document with fields: the page's own, or that of a frame in it.
 *
 * Invariants
 *  - Our code runs in an isolated world: the page's scripts cannot change the functions that it calls.
 *  - That world belongs to one document. After another document is loaded, calls fail, whatever its address.
 */
import type { Browser } from "./cdp.ts"
import type { Scan } from "./page/dom.ts"
import { type InPage, PROGRAM } from "./program.ts"

const WORLD = "hub-fill"

export interface Frame {
  readonly id: string
  readonly loaderId: string
  readonly url: string
  readonly securityOrigin: string
}
export interface FrameTree {
  readonly frame: Frame
  readonly childFrames?: ReadonlyArray<FrameTree>
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface PageDocument {
  readonly origin: string
  readonly scan: () => Promise<Scan>
  readonly call: <A>(name: InPage, ...args: ReadonlyArray<unknown>) => Promise<A>
  /** Converts a point to coordinates of the tab. `null` if a click there would not reach this document. */
  readonly inTab: (point: Point) => Promise<Point | null>
}

/** The page has changed since it was examined. */
export class PageMoved extends Error {}

/**
 * The origin of a frame. `"null"` for other schemes than http and https, and for https with another security origin, as
 * in a sandbox.
 */
export const originOf = ({ url, securityOrigin }: Frame): string => {
  if (!URL.canParse(url)) return "null"
  const { protocol, origin } = new URL(url)
  return protocol === "https:" && origin === securityOrigin ? origin : protocol === "http:" ? origin : "null"
}

export const treeOf = async (browser: Browser, session: string): Promise<FrameTree> => {
  const { frameTree } = await browser.send<{ readonly frameTree: FrameTree }>("Page.getFrameTree", {}, session)
  return frameTree
}

export const worldIn = async (browser: Browser, session: string, frameId: string): Promise<number> => {
  const world = { frameId, worldName: WORLD }
  const made = await browser.send<{ readonly executionContextId: number }>("Page.createIsolatedWorld", world, session)
  return made.executionContextId
}

interface Evaluated {
  readonly result: { readonly value?: unknown; readonly objectId?: string }
  readonly exceptionDetails?: object
}

/** Calls the function that `declaration` declares, with the object of `objectId` as its `this`. */
export const callOn = async <A>(
  browser: Browser,
  session: string,
  object: { readonly objectId: string; readonly declaration: string; readonly args: ReadonlyArray<unknown> }
): Promise<A> => {
  const { objectId, declaration: functionDeclaration, args } = object
  const given = args.map((value) => ({ value }))
  const params = { objectId, functionDeclaration, arguments: given, returnByValue: true }
  const { result, exceptionDetails } = await browser.send<Evaluated>("Runtime.callFunctionOn", params, session)
  if (exceptionDetails !== undefined) throw new PageMoved("The page does not let itself be looked at.")
  return result.value as A
}

export const documentIn = async (
  browser: Browser,
  session: string,
  frame: Frame,
  inTab: PageDocument["inTab"]
): Promise<PageDocument> => {
  const contextId = await worldIn(browser, session, frame.id)
  const made = await browser.send<Evaluated>("Runtime.evaluate", { expression: PROGRAM, contextId }, session)
  const { objectId } = made.result
  if (objectId === undefined || made.exceptionDetails !== undefined)
    throw new PageMoved("The page cannot be looked at.")
  const declaration = "function (name, args) { return this[name](...args) }"
  const call = <A>(name: InPage, ...args: ReadonlyArray<unknown>): Promise<A> =>
    callOn<A>(browser, session, { objectId, declaration, args: [name, args] })
  const [claimed, own] = [originOf(frame), await call<string>("ownOrigin")]
  return { origin: own === claimed ? claimed : "null", scan: () => call<Scan>("scan"), call, inTab }
}
