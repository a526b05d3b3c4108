/** The operations of the local service by their paths (spec 4.12). */
import { originProblem } from "../../schemas/vault/origins.ts"
import { readLogin, readPay, readSecret, readSignup } from "./bodies.ts"
import { CommandFailed, openBrowser } from "./cdp.ts"
import type { Service } from "./grant.ts"
import { login } from "./login.ts"
import { pay } from "./pay.ts"
import { PageMoved } from "./document.ts"
import { openPage } from "./page.ts"
import { bounded, type Patience } from "./patience.ts"
import { attempt, type Filled, type Filling } from "./place.ts"
import { Refused } from "./refusal.ts"
import { secret } from "./secret.ts"
import { signup } from "./signup.ts"
import type { Endpoint, Endpoints } from "./server.ts"
import { chooseTab } from "./tabs.ts"

export interface Parts extends Service {
  readonly cdp: string
}

const REASONS = {
  page_not_https: "The page is not one of https.",
  page_host_refused: "The page is on an address, or on a local name."
} as const

/**
 * A named entry is requested from the service even if the page is refused, so that the vault's journal has the refusal.
 */
const refusedPage = async ({ hub }: Service, origin: string, wanted: object | null): Promise<void> => {
  const problem = originProblem(origin)
  if (problem === null) return
  if (wanted !== null) await hub.ask("POST", "/vault/service/fill", { ...wanted, origin })
  throw new Refused(problem, REASONS[problem])
}

const onPage = async <A extends Filled>(
  { cdp, ...service }: Parts,
  {
    tab,
    wanted,
    signal
  }: { readonly tab: string | null; readonly wanted: object | null; readonly signal: AbortSignal },
  fill: (filling: Filling) => Promise<A>
): Promise<A> => {
  const browser = await openBrowser(cdp)
  const work = async (patience: Patience): Promise<A> => {
    const page = await openPage(browser, await chooseTab(browser, cdp, tab))
    try {
      await refusedPage(service, page.origin, wanted)
      return await attempt(page, () => fill({ service, page, patience }))
    } finally {
      await page.end()
    }
  }
  try {
    return await bounded(work, { close: browser.close, signal })
  } catch (error) {
    if (error instanceof PageMoved || error instanceof CommandFailed)
      throw new Refused("browser_unreachable", "The page cannot be looked at.")
    throw error
  } finally {
    browser.close()
  }
}

const named = (action: string, entry_id: number | null, more: object = {}): object | null =>
  entry_id === null ? null : { entry_id, action, ...more }

const filling = (run: Endpoint["run"]): Endpoint => ({
  method: "POST",
  run: async (body, signal) => ({ status: "done", ...(await run(body, signal)) })
})

export const endpointsOf = (parts: Parts): Endpoints => ({
  "/status": {
    method: "GET",
    run: async () => ({ ready: true, vault: parts.key.vault, loaded_at: parts.key.loaded_at })
  },
  "/login": filling(async (given, signal) => {
    const body = readLogin(given)
    return {
      ...(await onPage(parts, { tab: body.tab, wanted: named("login", body.entry_id), signal }, (at) =>
        login(at, body)
      ))
    }
  }),
  "/signup": filling(async (given, signal) => {
    const body = readSignup(given)
    return { ...(await onPage(parts, { tab: body.tab, wanted: null, signal }, (at) => signup(at, body))) }
  }),
  "/pay": filling(async (given, signal) => {
    const body = readPay(given)
    const { amount, currency } = body
    const wanted = named("pay", body.entry_id, { amount, currency })
    return { ...(await onPage(parts, { tab: body.tab, wanted, signal }, (at) => pay(at, body))) }
  }),
  "/secret": filling(async (given, signal) => {
    const body = readSecret(given)
    const { tab, entry_id, field } = body
    return {
      ...(await onPage(parts, { tab, wanted: named("secret", entry_id, { field }), signal }, (at) => secret(at, body)))
    }
  })
})
