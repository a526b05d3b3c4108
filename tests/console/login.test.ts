/** The ways into the console, and out of it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CONSOLE_SESSION_SECONDS } from "../../schemas/human/limits.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { operate } from "../support/hub.ts"
import { tokensTo } from "../support/outbox.ts"
import { logOf, testService, type TestService } from "../support/service.ts"
import { movableClock } from "../harness/clock.ts"
import { formsOf, headingOf, OwnerClient, problemsOf } from "../html/owner/client.ts"
import { bare, OperatorClient, startConsole, type TestConsole, withSecondStep } from "./desk.ts"

const clock = movableClock()
let service: TestService
let desk: TestConsole
beforeAll(async () => {
  service = await testService({ clock })
  desk = await startConsole(service)
})
afterAll(async () => {
  await desk?.stop()
  await service?.stop()
})

const confirmed = async (owner: OwnerClient): Promise<void> => {
  const [token = ""] = await tokensTo(service, owner.email, "/owner/verify")
  const answer = await owner.fill(`/owner/verify?token=${token}`, {}, "/owner/verify")
  expect(answer.status).toBe(303)
}
const granted = (email: string, why = "first operator") =>
  operate(service.system, ["human", "grant", email, "operator", "--reason", why])

interface Account {
  readonly owner: OwnerClient
  readonly codes: ReadonlyArray<string>
  readonly fields: (code?: string) => Readonly<Record<string, string>>
}
const account = async (): Promise<Account> => {
  const { owner, codes } = await withSecondStep(service.edges[0] ?? "")
  await confirmed(owner)
  const fields = (code = "") => ({ email: owner.email, password: owner.password, code })
  return { owner, codes, fields }
}

// Before any test moves the clock: the codes of an app go by the machine's time.
test("a session that has held goes on while no actor runs, and no other does", async () => {
  const { owner, codes, fields } = await account()
  await granted(owner.email)
  const [seen, unseen] = [new OperatorClient(desk.url), new OperatorClient(desk.url)]
  await seen.enter(fields(codes[0]))
  await unseen.enter(fields(codes[1]))
  expect((await seen.get("/")).status).toBe(200)
  const { actors } = service.system
  await Promise.all(actors.map((actor) => actor.stop()))
  try {
    expect(headingOf(await seen.get("/"))).toBe("Cluster")
    expect((await unseen.get("/")).status).toBe(503)
  } finally {
    await Promise.all(actors.map((actor) => actor.restart()))
  }
  expect((await unseen.get("/")).status).toBe(200)
})

describe("an account", () => {
  test("enters by its password, its role and its second step, and by nothing less", async () => {
    const { owner, codes, fields } = await account()
    const client = new OperatorClient(desk.url)
    const asked = await client.get("/")
    expect([asked.status, asked.headers.location]).toEqual([303, "/login"])

    const stranger = await client.enter(fields(codes[0]))
    expect([stranger.status, problemsOf(stranger)]).toEqual([403, ["This account is not an operator&#39;s."]])
    expect(client.cookies.has("hub_console")).toBe(false)

    expect(JSON.parse(await granted(owner.email))).toMatchObject({ roles: ["operator"] })
    const wrong = await client.enter({ ...fields(codes[1]), password: "not the right one" })
    expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["Address or password is wrong."]])
    const without = await client.enter(fields())
    expect([without.status, problemsOf(without)]).toEqual([422, [expect.stringContaining("asks for a code")]])
    const mistyped = await client.enter(fields("000000"))
    expect([mistyped.status, problemsOf(mistyped)]).toEqual([422, [expect.stringContaining("code is wrong")]])
    expect(client.cookies.has("hub_console")).toBe(false)

    const entered = await client.enter(fields(codes[2]))
    expect([entered.status, entered.headers.location]).toEqual([303, "/"])
    expect(headingOf(await client.get("/"))).toBe("Cluster")
  })

  test("is guessed at so often and no more, at the console as elsewhere", async () => {
    const { owner, codes, fields } = await account()
    await granted(owner.email)
    const client = new OperatorClient(desk.url)
    const tries = LIMITS.limits.owner.login_failures.requests
    const statuses: Array<number> = []
    for (let n = 0; n <= tries; n++)
      statuses.push((await client.enter({ ...fields(), password: `not the right one ${n}` })).status)
    expect(statuses).toEqual([...Array<number>(tries).fill(422), 429])
    // The right one is not heard any more either.
    expect((await client.enter(fields(codes[0]))).status).toBe(429)
  })

  test("is let in whatever is guessed at the public pages", async () => {
    const { owner, codes, fields } = await account()
    await granted(owner.email)
    const public_ = new OwnerClient(() => service.edges[0] ?? "")
    for (let n = 0; n <= LIMITS.limits.owner.login_failures.requests; n++)
      await public_.fill("/owner/login", { email: owner.email, password: `not the right one ${n}` })
    expect((await public_.fill("/owner/login", { email: owner.email, password: owner.password })).status).toBe(429)
    expect((await new OperatorClient(desk.url).enter(fields(codes[0]))).status).toBe(303)
  })

  test("leads to pages of its own alone", async () => {
    const { owner, codes, fields } = await account()
    await granted(owner.email)
    const client = new OperatorClient(desk.url)
    await client.enter(fields(codes[0]))
    for (const next of ["/actor/agent/x%0d%0aSet-Cookie:a", "//evil.example/", "https://evil.example/", "/nowhere"]) {
      const answer = await client.get(`/login?next=${next}`)
      expect([next, answer.status, answer.headers.location]).toEqual([next, 303, "/"])
    }
  })

  test("without a second step is told to set one up", async () => {
    const owner = new OwnerClient(() => service.edges[0] ?? "")
    await owner.signUp()
    const refused = operate(service.system, ["human", "grant", owner.email, "operator"])
    await expect(refused).rejects.toThrow("confirm the account's address first")
    await confirmed(owner)
    await granted(owner.email)
    const client = new OperatorClient(desk.url)
    const answer = await client.enter({ email: owner.email, password: owner.password, code: "123456" })
    expect([answer.status, problemsOf(answer)]).toEqual([403, [expect.stringContaining("needs a second step")]])
  })

  test("has sessions of two kinds, of which neither is the other", async () => {
    const { owner, codes, fields } = await account()
    await granted(owner.email)
    const client = new OperatorClient(desk.url)
    await client.enter(fields(codes[0]))
    const token = client.cookies.get("hub_console") ?? ""

    const thief = new OwnerClient(() => service.edges[0] ?? "")
    thief.cookies.set("hub_owner", token)
    expect((await thief.get("/owner")).headers.location).toBe("/owner/login")
    const bearer = await bare(service.edges[0] ?? "", "/api/v1/humans/me", { authorization: `Bearer ${token}` })
    expect(bearer.code).toBe("session_invalid")

    const other = new OperatorClient(desk.url)
    other.cookies.set("hub_console", owner.session ?? "")
    expect((await other.get("/")).headers.location).toBe("/login")
    // Among the sessions of the account it is told from the others.
    expect((await owner.get("/owner/settings")).text.match(/operators' console/g)).toHaveLength(1)
  })

  test("loses its sessions with the role, which the log tells by whom and why", async () => {
    const { owner, codes, fields } = await account()
    const { human } = JSON.parse(await granted(owner.email, "on call")) as { human: string }
    const client = new OperatorClient(desk.url)
    await client.enter(fields(codes[0]))
    expect((await client.get("/")).status).toBe(200)
    await operate(service.system, ["human", "revoke", human, "operator", "--reason", "left the team"])
    expect((await client.get("/")).headers.location).toBe("/login")
    const changes = (await logOf(service.view, "human", human)).flatMap(({ commit }) =>
      commit.events.flatMap((event) => (event.type === "human.role_changed" ? [{ command: commit.id, event }] : []))
    )
    expect(changes.map(({ event }) => event)).toMatchObject([
      { granted: true, reason: "on call" },
      { granted: false, reason: "left the team" }
    ])
    expect(changes.every(({ command }) => /^operator-\w+-[0-9a-f]{24}$/.test(command))).toBe(true)
  })

  test("logs out, and its session lasts twelve hours at most", async () => {
    const { owner, codes, fields } = await account()
    await granted(owner.email)
    const client = new OperatorClient(desk.url)
    await client.enter(fields(codes[0]))
    const kept = client.cookies.get("hub_console") ?? ""
    expect((await client.fill("/", {}, "/logout")).headers.location).toBe("/login")
    client.cookies.set("hub_console", kept)
    expect((await client.get("/")).headers.location).toBe("/login")

    await client.enter(fields(codes[1]))
    expect((await client.get("/")).status).toBe(200)
    clock.move(CONSOLE_SESSION_SECONDS * 1000)
    expect((await client.get("/")).headers.location).toBe("/login")
  })
})

describe("a one-time link", () => {
  test("lets its operator in once", async () => {
    const link = await desk.link("grace")
    const client = new OperatorClient(desk.url)
    const entered = await client.enterBy(link)
    expect([entered.status, entered.headers.location]).toEqual([303, "/"])
    expect((await client.get("/")).text).toContain("You are grace, by a one-time link.")
    const again = await new OperatorClient(desk.url).enterBy(link)
    expect([again.status, headingOf(again)]).toEqual([403, "This link holds no longer"])
    expect((await client.fill("/", {}, "/logout")).headers.location).toBe("/login")
    expect((await client.get("/")).headers.location).toBe("/login")
  })

  test("is good for ten minutes, and its session for twelve hours", async () => {
    const late = await desk.link()
    clock.move(600_000)
    expect((await new OperatorClient(desk.url).enterBy(late)).status).toBe(403)
    const client = new OperatorClient(desk.url)
    await client.enterBy(await desk.link())
    clock.move(CONSOLE_SESSION_SECONDS * 1000 - 60_000)
    expect((await client.get("/")).status).toBe(200)
    clock.move(60_000)
    expect((await client.get("/")).headers.location).toBe("/login")
  })

  test("is given to names that the log can hold", async () => {
    await expect(desk.link("a.b c")).rejects.toThrow("no console answers")
  })
})

describe("a cookie", () => {
  const setBy = async (url: string) => {
    const client = new OperatorClient(url)
    await client.enterBy(await desk.link())
    return client
  }

  test("is seen by no script, and sent with no request of another site", async () => {
    const client = await setBy(desk.url)
    expect(client.set.get("hub_console")).toBe(
      `hub_console=${client.cookies.get("hub_console")}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${CONSOLE_SESSION_SECONDS}`
    )
    const guest = new OperatorClient(desk.url)
    await guest.get("/login")
    expect(guest.set.get("hub_console_form")).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
  })

  test("belongs to its host alone where the address is https", async () => {
    const secure = await startConsole(service, { HUB_CONSOLE_URL: "https://console.example" })
    try {
      const answer = await bare(secure.url, "/login", { host: "console.example" })
      expect(answer.headers["set-cookie"]).toEqual([
        expect.stringMatching(/^__Host-hub_console_form=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
      ])
    } finally {
      await secure.stop()
    }
  })
})

describe("a request", () => {
  test("from another site changes nothing, nor does one without its form's token", async () => {
    const client = new OperatorClient(desk.url)
    await client.enterBy(await desk.link())
    const [form] = formsOf((await client.get("/")).text).filter(({ action }) => action === "/logout")
    const fields = form?.fields ?? {}
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }])
      expect((await client.post("/logout", fields, headers)).status).toBe(403)
    const foreign = { "sec-fetch-site": "", origin: "http://127.0.0.1:1" }
    expect((await client.post("/logout", fields, foreign)).status).toBe(403)
    expect((await client.post("/logout", {})).status).toBe(403)
    expect((await client.post("/logout", { form_token: `${"a".repeat(22)}.${"b".repeat(43)}` })).status).toBe(403)
    const other = new OperatorClient(desk.url)
    await other.enterBy(await desk.link())
    expect((await other.post("/logout", fields)).status).toBe(403)
    expect((await client.get("/")).status).toBe(200)
    expect((await client.post("/logout", fields)).status).toBe(303)
  })

  test("for another host reaches nothing", async () => {
    const client = new OperatorClient(desk.url)
    await client.enterBy(await desk.link())
    expect((await client.get("/", { host: "rebound.example" })).status).toBe(400)
    expect((await client.get("/login", { host: "rebound.example" })).status).toBe(400)
  })

  test("of nobody finds the login, scripts and the icon alone", async () => {
    const guest = new OperatorClient(desk.url)
    expect((await guest.get("/nowhere")).headers.location).toBe("/login")
    expect((await guest.get("/events?page=/")).status).toBe(401)
    expect((await guest.post("/act/anything", {})).status).toBe(401)
    expect((await guest.get("/favicon.svg")).headers["content-type"]).toBe("image/svg+xml")
    expect((await guest.get("/script/cluster.js")).headers.location).toBe("/login")
    const login = await guest.get("/login?next=//evil.example")
    expect(formsOf(login.text)[0]?.fields["next"]).toBe("/")
  })

  test("is answered under a policy that lets nothing foreign in", async () => {
    const client = new OperatorClient(desk.url)
    await client.enterBy(await desk.link())
    for (const path of ["/", "/nowhere"]) {
      const { headers } = await client.get(path)
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-[\w+/=]+'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/
      )
      expect(headers["x-content-type-options"]).toBe("nosniff")
      expect(headers["cache-control"]).toBe("no-store")
      expect(headers["access-control-allow-origin"]).toBeUndefined()
    }
    const { text } = await client.get("/")
    expect(text).not.toMatch(/<script(?![^>]* src="\/script\/)|\son\w+=|style="/)
    const [, script = ""] = /src="(\/script\/[0-9a-f]{16}\/cluster\.js)"/.exec(text) ?? []
    expect((await client.get(script)).headers["cache-control"]).toContain("immutable")
  })
})
