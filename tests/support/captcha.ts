/** Captchas that agents send. */
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { Answer } from "./http.ts"
import { dataOf } from "./outcome.ts"
import { png } from "./pictures.ts"
import type { Carried } from "./sponsorship.ts"

export const CAPTCHA_PATH = "/api/v1/me/captcha"

type Made = Readonly<Record<string, unknown>>

export const captchaBody = async (more: Made = {}): Promise<Made> => ({
  image_base64: (await png()).toString("base64"),
  kind: "text",
  ...more
})

export const sendCaptcha = async ({ client }: Carried, more: Made = {}): Promise<Answer> =>
  client.call("POST", CAPTCHA_PATH, { body: await captchaBody(more) })

export const captchaSent = async (agent: Carried, more: Made = {}): Promise<Captcha> =>
  dataOf(await sendCaptcha(agent, more))
