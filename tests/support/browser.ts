/**
 * A real browser: one for each test file, a context of its own for each visit, so that no visit knows of another. What
 * a page asked for, said on the console and tried to open is written down from its first byte on.
 */
import { type Browser, chromium, type BrowserContextOptions, type Page } from "playwright-core"
import { findChromium } from "../../ops/launcher/chromium.ts"

const LAUNCH_TIMEOUT_MS = 180_000
const STEP_TIMEOUT_MS = 120_000
const WIDTH = 1024
const HEIGHT = 768

export interface Visit {
  readonly page: Page
  readonly status: () => number
  /** Addresses of everything that was asked for, the page itself first. */
  readonly requests: ReadonlyArray<string>
  /** Warnings and errors of the console; what a policy refuses is among them. */
  readonly complaints: ReadonlyArray<string>
  readonly dialogs: ReadonlyArray<string>
  /** Addresses of windows that were opened from it. */
  readonly windows: ReadonlyArray<string>
  /** The same address anew; what was written down until then is forgotten. */
  readonly again: () => Promise<void>
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

  follow(page: Page): void {
    page.context().on("request", (request) => this.requests.push(request.url()))
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
    for (const list of [this.requests, this.complaints, this.dialogs, this.windows]) list.length = 0
  }
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT }, locale: "en-GB", ...options })
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  const page = await context.newPage()
  const written = new Written()
  written.follow(page)
  let status = 0
  const again = async (): Promise<void> => {
    written.forget()
    status = (await page.goto(url, { waitUntil: "load" }))?.status() ?? 0
  }
  await again()
  const { requests, complaints, dialogs, windows } = written
  return { page, status: () => status, requests, complaints, dialogs, windows, again, close: () => context.close() }
}

export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: await findChromium({ env: process.env, progress: (line) => console.error(line) }),
    // Chromium's own sandbox refuses to run as root; the pages it sees here are ours.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    timeout: LAUNCH_TIMEOUT_MS
  })
  return { visit: (url, options) => visit(browser, url, options), stop: () => browser.close() }
}
