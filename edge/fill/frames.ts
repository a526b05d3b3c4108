/** Frames that are visible in the top document. Their documents may belong to other websites. */
import { type Browser, CommandFailed } from "./cdp.ts"
import {
  callOn,
  documentIn,
  type Frame,
  type FrameTree,
  type PageDocument,
  type Point,
  treeOf,
  worldIn
} from "./document.ts"
import { PROGRAM } from "./program.ts"

const FRAMES_MAX = 20

export interface FrameSession {
  readonly session: string
  readonly id: string
}

interface Around {
  readonly session: string
  readonly top: Frame
}

/**
 * The frame's element in the top document; `null` if the browser finds none, as for a frame inside of another frame.
 */
const ownerOf = async (browser: Browser, { session, top }: Around, frame: Frame): Promise<string | null> => {
  try {
    const owner = await browser.send<{ readonly backendNodeId: number }>(
      "DOM.getFrameOwner",
      { frameId: frame.id },
      session
    )
    const executionContextId = await worldIn(browser, session, top.id)
    const node = { backendNodeId: owner.backendNodeId, executionContextId }
    const { object } = await browser.send<{ readonly object: { readonly objectId: string } }>(
      "DOM.resolveNode",
      node,
      session
    )
    return object.objectId
  } catch (error) {
    if (error instanceof CommandFailed) return null
    throw error
  }
}

const shownIn = async (
  browser: Browser,
  around: Around,
  { session, frame }: { readonly session: string; readonly frame: Frame }
): Promise<ReadonlyArray<PageDocument>> => {
  const objectId = await ownerOf(browser, around, frame)
  if (objectId === null) return []
  const ask = <A>(name: string, args: ReadonlyArray<unknown>): Promise<A> => {
    const declaration = `function (...args) { return ${PROGRAM}.${name}(this, ...args) }`
    return callOn<A>(browser, around.session, { objectId, declaration, args })
  }
  if (!(await ask<boolean>("isVisible", []))) return []
  const inTab = ({ x, y }: Point): Promise<Point | null> => ask("throughFrame", [x, y])
  return [await documentIn(browser, session, frame, inTab)]
}

/**
 * Finds the documents of visible frames, in at most `FRAMES_MAX` frames. `within` collects frames with their own
 * process that attach during the search.
 */
export const framesOf = async (
  browser: Browser,
  around: Around,
  within: ReadonlyArray<FrameSession>
): Promise<ReadonlyArray<PageDocument>> => {
  const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }
  await browser.send("Target.setAutoAttach", attach, around.session)
  const tree: FrameTree = await treeOf(browser, around.session)
  const own = (tree.childFrames ?? []).map(({ frame }) => ({ session: around.session, frame }))
  const others = await Promise.all(
    within.map(async ({ session }) => ({ session, frame: (await treeOf(browser, session)).frame }))
  )
  const shown: Array<PageDocument> = []
  for (const one of [...own, ...others].slice(0, FRAMES_MAX)) shown.push(...(await shownIn(browser, around, one)))
  return shown
}
