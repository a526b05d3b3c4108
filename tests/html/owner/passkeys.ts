/** A person with a security key in software, at the pages. */
import { expect } from "vitest"
import { Authenticator, type Otherwise } from "../../support/authenticator.ts"
import type { Answer } from "../../support/http.ts"
import { type Fields, formsOf, headingOf, OwnerClient } from "./client.ts"

export const SETTINGS = "/owner/settings"
export const ADD = "/owner/settings/passkey"
export const LOG_IN = "/owner/login/passkey"

interface At {
  readonly edge: () => string
  /** Of the service, as its passkeys know it. */
  readonly origin: string
}

/** What the page's script would ask the browser for. */
export const wantedOn = ({ text }: Answer): string =>
  (/<input type="hidden" id="passkey-wanted" value="([^"]*)">/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"')

export const fieldsOn = ({ text }: Answer, action: string): Fields =>
  formsOf(text).find((form) => form.action === action)?.fields ?? {}

export class PasskeyOwner extends OwnerClient {
  readonly key: Authenticator

  constructor({ edge, origin }: At) {
    super(edge)
    this.key = new Authenticator(origin)
  }

  /** The page on which one is made. */
  offered(label = "My phone"): Promise<Answer> {
    return this.change("offer_passkey", { label, password: this.password })
  }

  async added(otherwise: Otherwise = {}, label?: string): Promise<Answer> {
    const page = await this.offered(label)
    return this.post(ADD, { ...fieldsOn(page, ADD), answer: this.key.create(wantedOn(page), otherwise) })
  }

  /** In a browser that knows nothing yet. */
  async entering(otherwise: Otherwise = {}): Promise<Answer> {
    this.cookies.clear()
    const page = await this.get(LOG_IN)
    return this.post(LOG_IN, { ...fieldsOn(page, LOG_IN), answer: this.key.get(wantedOn(page), otherwise) })
  }

  get human(): string {
    return `hum_${(this.session ?? "").slice(4, 20)}`
  }
}

export const passkeyOwner = async (at: At): Promise<PasskeyOwner> => {
  const one = new PasskeyOwner(at)
  expect((await one.signUp()).status).toBe(303)
  return one
}

/** Of a login. */
export const isRefused = (answer: Answer): void => {
  expect([answer.status, headingOf(answer)]).toEqual([403, "Log in with a passkey"])
  expect(answer.text).toContain("The passkey was not accepted")
  expect(answer.headers["set-cookie"]?.join(" ") ?? "").not.toContain("hub_owner=hxh_")
}
