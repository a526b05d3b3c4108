/**
 * Finds the tab of a fill: the one that was last brought to front, by the order of the browser's list. Each window has
 * a tab in front. If there are several and none is named, no tab is chosen.
 */
import { type Browser, CommandFailed, type Target, targetsOf } from "./cdp.ts"
import { invalid, Refused } from "./refusal.ts"

const CANDIDATES_SHOWN = 10
/** Addresses of pages that a browser opens on its own. */
const EMPTY = /^(?:about:blank$|chrome:|devtools:|chrome-extension:)/

const windowOf = async (browser: Browser, { id }: Target): Promise<number | string> => {
  try {
    const { windowId } = await browser.send<{ readonly windowId: number }>("Browser.getWindowForTarget", {
      targetId: id
    })
    return windowId
  } catch (error) {
    // Browsers without windows refuse this command. Each tab then counts as its own window.
    if (error instanceof CommandFailed) return id
    throw error
  }
}

const inFront = async (browser: Browser, tabs: ReadonlyArray<Target>): Promise<ReadonlyArray<Target>> => {
  const windows = await Promise.all(tabs.map((tab) => windowOf(browser, tab)))
  const first = tabs.filter((_, at) => windows.indexOf(windows[at] ?? "") === at)
  return first.length === 1 ? first : first.filter(({ url }) => !EMPTY.test(url))
}

export const chooseTab = async (browser: Browser, cdp: string, wanted: string | null): Promise<Target> => {
  const tabs = (await targetsOf(cdp)).filter(({ type }) => type === "page")
  if (wanted !== null) {
    const named = tabs.find(({ id }) => id === wanted)
    if (named === undefined) throw invalid("tab", "tab must be the target id of a tab that is open.")
    return named
  }
  const [first, ...others] = await inFront(browser, tabs)
  if (first === undefined) throw new Refused("form_not_found", "No page is open.")
  if (others.length === 0) return first
  const candidates = [first, ...others].slice(0, CANDIDATES_SHOWN).map(({ id, url }) => ({
    tab: id,
    site: URL.canParse(url) ? new URL(url).origin : null
  }))
  throw new Refused("page_ambiguous", "Several windows have a page in front: name one by `tab`.", { candidates })
}
