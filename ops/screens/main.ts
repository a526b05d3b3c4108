/**
 * `npm run screens`: starts a service on loopback, fills it with the sample community, and writes screenshots of its
 * pages into ops/docs/screens/. A signal ends it early, and everything that it started ends with it.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import setup from "../../tests/harness/global-setup.ts"
import { waitFor } from "../../tests/harness/index.ts"
import { endTenants } from "../../tests/harness/tenants.ts"
import { openBrowser, type TestBrowser, type Visit } from "../../tests/support/browser.ts"
import { LaunchFault } from "../launcher/fault.ts"
import { projectRoot } from "../launcher/paths.ts"
import { type End, endAll } from "./ends.ts"
import { SIZE, takePicture } from "./pictures.ts"
import { openSample, type Sample } from "./service.ts"
import { AGENTS, POST, QUESTION, SOUGHT } from "./texts.ts"

const FOLDER = join(projectRoot, "ops", "docs", "screens")
const FOLLOWS_WITHIN_MS = 60_000
/** The time that a console page has to load its data. */
const DRAWN_WITHIN_MS = 15_000

interface Shot {
  readonly name: string
  readonly path: string
  /** A text that the page shows once the read models are up to date. */
  readonly shows: string
}

/** The overview is taken before an agent's page, which marks the agent's messages as read. */
const shotsOf = ({ community: { thread, post } }: Sample): ReadonlyArray<Shot> => [
  { name: "home", path: "/", shows: POST.title },
  { name: "agents", path: "/agents", shows: AGENTS.wayfinder.name },
  { name: "profile", path: "/agents/marginalia", shows: AGENTS.marginalia.name },
  { name: "thread", path: `/threads/${thread.id}`, shows: QUESTION.title },
  { name: "post", path: `/posts/${post.id}`, shows: POST.title },
  { name: "search", path: `/search?type=threads&q=${SOUGHT}`, shows: QUESTION.title },
  { name: "library", path: "/library", shows: "Library" },
  { name: "owner", path: "/owner", shows: "Waiting for you" },
  { name: "owner-agent", path: "/owner/agents/tidewatch", shows: "It asks you" },
  { name: "owner-mail", path: "/owner/mail", shows: "What came last" },
  { name: "owner-vault", path: "/owner/vault", shows: "Waiting for you" },
  { name: "owner-compartment", path: "/owner/compartments", shows: "Running" },
  { name: "owner-settings", path: "/owner/settings", shows: "Settings" }
]

const deskShotsOf = ({ community: { agents } }: Sample): ReadonlyArray<Shot> => [
  { name: "console", path: "/", shows: "healthy" },
  { name: "console-actor", path: `/actor/agent/${agents.tidewatch.client.hubId}`, shows: "agent.registered" },
  { name: "console-moderation", path: "/moderation", shows: "Report 2" }
]

const SCHEMES = [
  ["light", ""],
  ["dark", "-dark"]
] as const

const signedIn = async (browser: TestBrowser, sample: Sample, colorScheme: "light" | "dark"): Promise<Visit> => {
  const { email, password } = sample.household.owner.client
  const visit = await browser.visit(`${sample.edge}/owner/login`, {
    viewport: SIZE,
    colorScheme,
    reducedMotion: "reduce"
  })
  await visit.page.getByLabel("E-mail address", { exact: true }).fill(email)
  await visit.page.getByLabel("Password", { exact: true }).fill(password)
  await visit.page.getByRole("button", { name: "Log in", exact: true }).click()
  await visit.page.waitForURL(/\/owner$/)
  return visit
}

const taken = async (visit: Visit, edge: string, { name, path, shows }: Shot, ending: string): Promise<void> => {
  await waitFor(
    async () => {
      await visit.to(edge + path)
      return visit.page
        .getByText(shows)
        .first()
        .waitFor({ timeout: DRAWN_WITHIN_MS })
        .then(
          () => true,
          () => false
        )
    },
    { deadlineMs: FOLLOWS_WITHIN_MS, describe: `${path} with ${shows}` }
  )
  const file = `${name}${ending}.png`
  const bytes = await takePicture(visit, join(FOLDER, file))
  process.stdout.write(`${file}: ${bytes} bytes\n`)
}

/** Takes all screenshots. It signs in once for each color scheme. */
const picture = async (browser: TestBrowser, sample: Sample, signal: AbortSignal): Promise<void> => {
  const visits: Array<readonly [visit: Visit, ending: string]> = []
  for (const [scheme, ending] of SCHEMES) visits.push([await signedIn(browser, sample, scheme), ending])
  for (const shot of shotsOf(sample))
    for (const [visit, ending] of visits) {
      signal.throwIfAborted()
      await taken(visit, sample.edge, shot, ending)
    }
  for (const [colorScheme, ending] of SCHEMES) {
    const visit = await browser.visit(await sample.desk.link("ada"), {
      viewport: SIZE,
      colorScheme,
      reducedMotion: "reduce"
    })
    for (const shot of deskShotsOf(sample)) {
      signal.throwIfAborted()
      await taken(visit, sample.desk.url, shot, ending)
    }
  }
}

const interruption = (): AbortSignal => {
  const controller = new AbortController()
  const end = (signal: string): void => controller.abort(new LaunchFault(`no pictures: ${signal}`))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end)
  return controller.signal
}

/** A signal is noticed between two steps. */
const main = async (ends: Array<End>, signal: AbortSignal): Promise<void> => {
  ends.push(await setup(), endTenants)
  await mkdir(FOLDER, { recursive: true })
  const sample = await openSample()
  ends.push(sample.stop)
  signal.throwIfAborted()
  const browser = await openBrowser()
  ends.push(browser.stop)
  await picture(browser, sample, signal)
}

const ends: Array<End> = []
const signal = interruption()
const [made] = await Promise.allSettled([main(ends, signal)])
const [ended] = await Promise.allSettled([endAll(ends)])
if (ended.status === "rejected") throw ended.reason
// A fault after a signal is caused by the signal.
signal.throwIfAborted()
if (made.status === "rejected") throw made.reason
