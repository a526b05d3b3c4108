/**
 * A real browser: one for each test file, with a separate context for each visit, so that visits share nothing. The
 * page's requests, console messages and opened windows are recorded from its first byte on.
 */
import { type Browser, chromium, type BrowserContextOptions, type Page } from "playwright"
import { findChromium, findHeadlessChromium } from "../../ops/launcher/chromium.ts"

const LAUNCH_TIMEOUT_MS = 180_000
/** Only a step that hangs takes this long. */
const STEP_TIMEOUT_MS = 300_000
const WIDTH = 1024
const HEIGHT = 768
/**
 * Chromium aborts loading when the machine gets or loses an address. Tests that run at the same time make containers,
 * whose bridges have such addresses. The step is then repeated, at most this often.
 */
const NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"
const MAX_TRIES = 20

export interface Visit {
  readonly page: Page
  readonly status: () => number
  /** Addresses of all requests, the page itself first. */
  readonly requests: ReadonlyArray<string>
  /** Warnings and errors of the console, including those of content policies. */
  readonly complaints: ReadonlyArray<string>
  readonly dialogs: ReadonlyArray<string>
  /** Addresses of windows that the page opened. */
  readonly windows: ReadonlyArray<string>
  /** Loads the same address again, after clearing the records. */
  readonly again: () => Promise<void>
  /** Loads another address in the same window, after clearing the records. */
  readonly to: (url: string) => Promise<void>
  /** Returns the result of a script that sends a request. The script may run twice, so a second run must do no harm. */
  readonly run: (script: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

export interface TestBrowser {
  readonly visit: (url: string, options?: BrowserContextOptions) => Promise<Visit>
  readonly stop: () => Promise<void>
}

class Written {
  readonly requests: Array<string> = []
  readonly complaints: Array<string> = []
  readonly dialogs: Array<string> = []
  readonly windows: Array<string> = []
  /** The reasons why requests failed. */
  readonly failures: Array<string> = []

  /** The address of the icon. The browser requests it at any time, not only for a page, so it is not recorded. */
  private icon = ""

  expect(address: string): void {
    this.icon = URL.canParse("/favicon.svg", address) ? new URL("/favicon.svg", address).href : ""
  }

  follow(page: Page): void {
    page.context().on("request", (request) => {
      if (request.url() !== this.icon) this.requests.push(request.url())
    })
    page.context().on("requestfailed", (request) => this.failures.push(request.failure()?.errorText ?? ""))
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text())
    })
    page.on("pageerror", (error) => this.complaints.push(error.message))
    page.on("dialog", (dialog) => {
      this.dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    page.on("popup", (opened) => this.windows.push(opened.url()))
  }

  forget(): void {
    for (const list of [this.requests, this.complaints, this.dialogs, this.windows, this.failures]) list.length = 0
  }
}

/** Runs `step`, and repeats it after the machine's addresses changed. The records are cleared before each try. */
async function undisturbed<A>(written: Written, step: () => Promise<A>): Promise<A> {
  for (let tries = 1; ; tries++) {
    written.forget()
    const [done] = await Promise.allSettled([step()])
    const told = done.status === "rejected" ? String(done.reason) : written.failures.join(" ")
    if (tries < MAX_TRIES && told.includes(NETWORK_CHANGED)) continue
    if (done.status === "rejected") throw done.reason
    return done.value
  }
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT }, locale: "en-GB", ...options })
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  const page = await context.newPage()
  const written = new Written()
  written.follow(page)
  let status = 0
  const to = async (address: string): Promise<void> => {
    written.expect(address)
    status = (await undisturbed(written, () => page.goto(address, { waitUntil: "load" })))?.status() ?? 0
  }
  const again = (): Promise<void> => to(url)
  await again()
  const { requests, complaints, dialogs, windows } = written
  return {
    page,
    status: () => status,
    requests,
    complaints,
    dialogs,
    windows,
    again,
    to,
    run: (script) => undisturbed(written, () => page.evaluate(script)),
    close: () => context.close()
  }
}

/** `whole` is for features that the headless shell lacks, such as push messages. */
export async function openBrowser({ whole = false } = {}): Promise<TestBrowser> {
  const find = whole ? findChromium : findHeadlessChromium
  const browser = await chromium.launch({
    executablePath: await find({ env: process.env, progress: (line) => console.error(line) }),
    // Chromium's own sandbox refuses to run as root. Only the tests' own pages are loaded here.
    args: ["--disable-gpu", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    timeout: LAUNCH_TIMEOUT_MS
  })
  return { visit: (url, options) => visit(browser, url, options), stop: () => browser.close() }
}
