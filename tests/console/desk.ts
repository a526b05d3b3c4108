/** A console beside a system under test, in the test's own process, and an operator's browser without a browser. */
import { Effect, Exit, Scope } from "effect"
import { TOTP } from "otpauth"
import { askLink } from "../../ops/cli/ask-link.ts"
import { openConsole } from "../../ops/console/app.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { onClock } from "../harness/clock.ts"
import { OwnerClient } from "../html/owner/client.ts"
import { type Answer, send } from "../support/http.ts"
import { WIDE_LIMITS, type TestService } from "../support/service.ts"
import { archiveOf } from "../harness/index.ts"

export interface TestConsole {
  readonly url: string
  /** A one-time link. */
  readonly link: (operator?: string) => Promise<string>
  readonly stop: () => Promise<void>
}

export async function startConsole(
  { system, view }: TestService,
  env: Readonly<Record<string, string>> = {},
  at?: number
): Promise<TestConsole> {
  const port = at ?? (await drawPort())
  const scope = Scope.makeUnsafe()
  const opened = openConsole({
    HUB_ENV: "development",
    HUB_NATS_URL: system.nats.url,
    HUB_DATABASE_URL: system.postgres.url,
    HUB_ARCHIVE: archiveOf(system),
    HUB_BASE_URL: system.url,
    HUB_LIMITS: JSON.stringify(WIDE_LIMITS),
    HUB_CONSOLE_PORT: String(port),
    HUB_CONSOLE_LINKS: "true",
    ...env
  })
  await Effect.runPromise(onClock(system.clock)(Scope.provide(opened, scope)))
  return {
    url: `http://127.0.0.1:${port}`,
    link: (operator = "grace") => askLink(view.nats, operator),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

type Fields = Readonly<Record<string, string>>

/** Keeps cookies and sends forms, as a browser does. */
export class OperatorClient extends OwnerClient {
  readonly console: string

  constructor(console: string) {
    super(() => console)
    this.console = console
  }

  enterBy(link: string): Promise<Answer> {
    const { pathname, search } = new URL(link)
    return this.get(pathname + search)
  }

  enter(fields: Fields): Promise<Answer> {
    return this.fill("/login", fields)
  }
}

const secretOn = ({ text }: Answer): string => /<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1]?.replaceAll(" ", "") ?? ""
const codesOn = ({ text }: Answer): ReadonlyArray<string> =>
  [...text.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code ?? "")

/** An account of the owner's pages with a second step: recovery codes are its codes, each good once. */
export async function withSecondStep(edge: string): Promise<{ owner: OwnerClient; codes: ReadonlyArray<string> }> {
  const owner = new OwnerClient(() => edge)
  await owner.signUp()
  const { password } = owner
  await owner.change("offer_two_step", { password })
  const secret = secretOn(await owner.get("/owner/settings"))
  const form = await owner.form("/owner/settings", "/owner/settings", { action: "enable_two_step" })
  const code = new TOTP({ secret }).generate()
  const shown = await owner.post("/owner/settings", { ...form.fields, code })
  return { owner, codes: codesOn(shown) }
}

/** As it is, without a browser's headers. */
export const bare = (url: string, path: string, headers: Fields = {}): Promise<Answer> =>
  send({ edge: url, method: "GET", path, headers })
