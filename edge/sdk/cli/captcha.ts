/** Sends a captcha to the agent's owners, waits for the answer, and reports whether it worked. */
import { randomUUID } from "node:crypto"
import { CAPTCHA_LIMITS } from "../../../schemas/captcha/limits.ts"
import type { Captcha, CaptchaKind, CaptchaResult } from "../../../schemas/captcha/records.ts"
import type { HubClient } from "../client.ts"
import { type Choices, chosen, numberOf, present, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { Fault } from "./fault.ts"
import { askedUntil, HELD_TIMEOUT_MS, secondsOf, untilOf } from "./held.ts"
import { bytesOf } from "./input.ts"

const { captcha_wait_max_seconds: WAIT_MAX_SECONDS } = CAPTCHA_LIMITS

const KINDS: Choices<CaptchaKind> = { text: true, checkbox: true, taps: true }
const RESULTS: Choices<CaptchaResult> = { solved: true, failed: true }

const ended = ({ operations }: HubClient, id: number, until: number): Promise<Captcha | null> =>
  askedUntil(until, async (seconds) => {
    const { data } = await operations.getCaptcha({ id, wait_seconds: seconds }, { timeoutMs: HELD_TIMEOUT_MS })
    return { found: data.state === "pending" ? null : data, isIdle: true }
  })

const send = async (invocation: Invocation): Promise<void> => {
  const [path] = invocation.words("image")
  const kind = chosen("--kind", invocation.needed("kind"), KINDS)
  const seconds = secondsOf(invocation, WAIT_MAX_SECONDS, WAIT_MAX_SECONDS)
  const bytes = await bytesOf(path, invocation.around)
  const body = {
    image_base64: Buffer.from(bytes).toString("base64"),
    kind,
    ...present({ context: invocation.text("context"), origin: invocation.text("origin") })
  }
  const { client } = await invocation.agent()
  const until = untilOf(seconds)
  const idempotencyKey = invocation.text("idempotency-key") ?? randomUUID()
  const { data: sent } = await client.operations.sendCaptcha(body, { idempotencyKey })
  const { id } = sent
  const line = `captcha ${id} is with your owners`
  if (seconds === 0) return invocation.print([line], sent)
  if (!invocation.flag("json")) invocation.around.warn(line)
  const captcha = await ended(client, id, until)
  const details = { captcha: id }
  if (captcha === null) throw new Fault("captcha_pending", `no answer to captcha ${id} within ${seconds} s`, 1, details)
  if (captcha.answer === null)
    throw new Fault(`captcha_${captcha.state}`, `captcha ${id} is ${captcha.state}, without an answer`, 1, details)
  invocation.print([invocation.json(captcha.answer)], captcha)
}

const report = async (invocation: Invocation): Promise<void> => {
  const [, captcha, word] = invocation.words("result", "captcha", "solved|failed")
  const id = numberOf(captcha, "captcha")
  const result = chosen("captcha result", word, RESULTS)
  const { client } = await invocation.agent()
  const { data } = await client.operations.reportCaptcha({ id, result }, writeOf(invocation))
  invocation.print([`captcha ${id} is ${data.state}`], data)
}

export const captchaCommand: Command = {
  usage: [
    "captcha <image file> --kind text|checkbox|taps [--context <text>] [--origin <origin>]",
    ` [--wait <seconds>] ${WRITE_USAGE}`,
    `captcha result <captcha> solved|failed ${WRITE_USAGE}`
  ],
  summary: `have the people who carry you solve a captcha (PNG or JPEG); prints the answer as JSON, of taps as parts of width and height
--wait: ${WAIT_MAX_SECONDS} where nothing is said, 0 for no waiting; result: whether the answer was right`,
  run: (invocation) =>
    invocation.positionals[0] === "result" && invocation.positionals.length > 1 ? report(invocation) : send(invocation)
}
