/**
 * Measures a fill from the local call until the password is in its field, over a whole service and a real Chromium.
 * Beside it, Playwright types the same username and password key by key into the same page in another browser.
 */
import { chromium } from "playwright"
import { findChromium } from "../launcher/chromium.ts"
import { openBench } from "../../tests/support/fill.ts"

const ROUNDS = 30
const PAGE = "https://shop.example/single"
const FIELDS = { username: "ada@shop.example", password: "Correct-Horse 7 and 8 more" }

const quantile = (times: ReadonlyArray<number>, part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const line = (name: string, times: ReadonlyArray<number>): string =>
  `  ${name.padEnd(24)} p50 ${quantile(times, 0.5).toFixed(0)} ms   p90 ${quantile(times, 0.9).toFixed(0)} ms`

export const fillCase = async (say: (line: string) => void): Promise<void> => {
  const bench = await openBench(["*.example"])
  const browser = await chromium.launch({
    executablePath: await findChromium({ env: process.env, progress: say }),
    args: [
      `--host-resolver-rules=MAP *.example 127.0.0.1:${bench.websites.port}`,
      `--ignore-certificate-errors-spki-list=${bench.websites.spki}`
    ],
    chromiumSandbox: process.getuid?.() !== 0
  })
  try {
    await bench.write({ fields: FIELDS })
    const page = await browser.newPage()
    const [fills, typed]: [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round <= ROUNDS; round++) {
      await bench.open(PAGE)
      const fill = await timed(async () => {
        const { status, text } = await bench.post("/login", { submit: false })
        if (status !== 200) throw new Error(`the fill was refused: ${text}`)
      })
      await page.goto(PAGE)
      const typing = await timed(async () => {
        await page.locator("#e").pressSequentially(FIELDS.username)
        await page.locator("#p").pressSequentially(FIELDS.password)
      })
      // The first round only warms up both.
      if (round === 0) continue
      fills.push(fill)
      typed.push(typing)
    }
    say(`\na fill of a login, ${ROUNDS} times`)
    say(line("fill service", fills))
    say(line("Playwright, the typing", typed))
    say(`  ratio of the medians     ${(quantile(fills, 0.5) / quantile(typed, 0.5)).toFixed(2)}`)
  } finally {
    await browser.close()
    await bench.stop()
  }
}
