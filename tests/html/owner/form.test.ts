/** Forms of the owner's space: each is its browser's own, has one effect, and comes from its own page alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Answer } from "../../support/http.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { type Fields, headingOf, noticeOf, OwnerClient, rowsOf } from "./client.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""
const owner = (): OwnerClient => new OwnerClient(edge)

const signedUp = async (): Promise<OwnerClient> => {
  const ada = owner()
  expect((await ada.signUp()).status).toBe(303)
  return ada
}

const nameOf = async (ada: OwnerClient): Promise<string> =>
  /<bdi>([^<]*)<\/bdi>/.exec((await ada.get("/owner")).text)?.[1] ?? ""

const sessionsOf = async (ada: OwnerClient): Promise<number> => rowsOf(await ada.get("/owner/settings"), "sessions")

const refused = (answer: Answer): void => {
  expect([answer.status, headingOf(answer)]).toEqual([403, "This request was refused"])
  expect(answer.text).toContain("This form holds no longer")
  expect([answer.headers["x-robots-tag"], answer.headers["cache-control"]]).toEqual(["noindex", "no-store"])
}

describe("a form is refused", () => {
  it.each<[string, (token: string) => Fields]>([
    ["without its token", () => ({})],
    ["with an empty one", () => ({ form_token: "" })],
    ["with one that was made up", () => ({ form_token: `${"a".repeat(22)}.${"b".repeat(43)}` })],
    ["with another nonce under its seal", (token) => ({ form_token: `${"a".repeat(22)}${token.slice(22)}` })],
    ["with a long one", (token) => ({ form_token: token.repeat(500) })]
  ])("%s", async (_what, tokenOf) => {
    const ada = await signedUp()
    const { form_token = "", ...fields } = (await ada.form("/owner/settings", "/owner/settings", { action: "rename" }))
      .fields
    refused(await ada.post("/owner/settings", { ...fields, ...tokenOf(form_token), name: "Eve" }))
    expect(await nameOf(ada)).toBe("Grace Hopper")
    const visitor = owner()
    const login = await visitor.form("/owner/login")
    const { email, password } = ada
    refused(await visitor.post("/owner/login", { email, password, ...tokenOf(login.fields["form_token"] ?? "") }))
    expect(visitor.session).toBeUndefined()
  })

  it("with the token of another form", async () => {
    const ada = await signedUp()
    const { fields } = await ada.form("/owner/settings", "/owner/settings", { action: "send_verification" })
    refused(await ada.post("/owner/settings", { ...fields, action: "rename", name: "Eve" }))
    refused(await ada.post("/owner/logout", { form_token: fields["form_token"] ?? "" }))
    expect(await nameOf(ada)).toBe("Grace Hopper")
  })

  it("with the token of somebody else, or of an earlier session", async () => {
    const [ada, eve] = [await signedUp(), await signedUp()]
    const like = { action: "rename" }
    const hers = await eve.form("/owner/settings", "/owner/settings", like)
    refused(await ada.post("/owner/settings", { ...hers.fields, name: "Eve" }))
    const before = await ada.form("/owner/settings", "/owner/settings", like)
    await ada.logOut()
    await ada.logIn()
    refused(await ada.post("/owner/settings", { ...before.fields, name: "Eve" }))
    expect(await nameOf(ada)).toBe("Grace Hopper")
  })

  it("before a login with the token of another browser, and without a cookie", async () => {
    const ada = await signedUp()
    const { email, password } = ada
    const stranger = await owner().form("/owner/login")
    const visitor = owner()
    await visitor.get("/owner/login")
    refused(await visitor.post("/owner/login", { ...stranger.fields, email, password }))
    const own = await visitor.form("/owner/login")
    visitor.cookies.clear()
    refused(await visitor.post("/owner/login", { ...own.fields, email, password }))
    expect(visitor.session).toBeUndefined()
  })

  it.each<[string, Fields]>([
    ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["a neighbour", { "sec-fetch-site": "same-site" }],
    ["another origin", { "sec-fetch-site": "", origin: "https://evil.example" }],
    ["an origin that is kept back", { "sec-fetch-site": "", origin: "null" }]
  ])("by %s, with session, token and all", async (_what, headers) => {
    const ada = await signedUp()
    const { fields } = await ada.form("/owner/settings", "/owner/settings", { action: "rename" })
    const answer = await ada.post("/owner/settings", { ...fields, name: "Eve" }, headers)
    expect([answer.status, answer.text.includes("sent by another site")]).toEqual([403, true])
    const login = await ada.another().form("/owner/login")
    expect((await ada.post("/owner/login", login.fields, headers)).status).toBe(403)
    expect(await nameOf(ada)).toBe("Grace Hopper")
  })
})

it("a form that is changed and sent again does what it then says", async () => {
  const ada = await signedUp()
  const { fields } = await ada.form("/owner/settings", "/owner/settings", { action: "rename" })
  for (const name of ["Bea", "Cleo", "Cleo"]) {
    const answer = await ada.follow(await ada.post("/owner/settings", { ...fields, name }))
    expect([noticeOf(answer), await nameOf(ada)]).toEqual(["Your name is changed.", name])
  }
})

describe("a form that is sent twice has one effect:", () => {
  it("one account, and whoever made it is in", async () => {
    const ada = owner()
    const form = await ada.form("/owner/signup")
    const { name, email, password } = ada
    const cookies = new Map(ada.cookies)
    const sendIt = () => ada.post("/owner/signup", { ...form.fields, name, email, password })
    const first = await sendIt()
    const lost = ada.session
    ada.cookies.clear()
    for (const [key, value] of cookies) ada.cookies.set(key, value)
    const second = await sendIt()
    expect([first.status, second.status, second.headers.location]).toEqual([303, 303, "/owner"])
    expect([await nameOf(ada), await sessionsOf(ada)]).toEqual([name, 1])
    expect(ada.session).not.toBe(lost)
  })

  it("one account, and no try of a password for another", async () => {
    const [ada, eve] = [await signedUp(), owner()]
    const form = await eve.form("/owner/signup")
    expect(
      (await eve.post("/owner/signup", { ...form.fields, name: eve.name, email: eve.email, password: eve.password }))
        .status
    ).toBe(303)
    eve.cookies.delete("hub_owner")
    const { name, email, password } = ada
    const again = await eve.post("/owner/signup", { ...form.fields, name, email, password })
    expect([again.status, headingOf(again)]).toEqual([403, "This request was refused"])
    expect(eve.session).toBeUndefined()
  })

  it("one account for a double click", async () => {
    const ada = owner()
    const form = await ada.form("/owner/signup")
    const { name, email, password } = ada
    const answers = await Promise.all(
      [1, 2].map(() => ada.post("/owner/signup", { ...form.fields, name, email, password }))
    )
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(await sessionsOf(await entered(ada))).toBe(2)
  })

  it("one session, of the last that was sent, and only by the password", async () => {
    const ada = await signedUp()
    const other = ada.another()
    const form = await other.form("/owner/login")
    const { email, password } = ada
    await other.post("/owner/login", { ...form.fields, email, password })
    const first = other.session
    other.cookies.delete("hub_owner")
    const wrong = await other.post("/owner/login", { ...form.fields, email, password: "something else" })
    expect([wrong.status, other.session]).toEqual([422, undefined])
    await other.post("/owner/login", { ...form.fields, email, password })
    expect(other.session).not.toBe(first)
    expect(await sessionsOf(other)).toBe(2)
  })

  it("one change", async () => {
    const ada = await signedUp()
    const { fields } = await ada.form("/owner/settings", "/owner/settings", { action: "rename" })
    const first = await ada.post("/owner/settings", { ...fields, name: "Ada" })
    const between = await ada.change("rename", { name: "Countess" })
    const second = await ada.post("/owner/settings", { ...fields, name: "Ada" })
    expect([first.status, between.status, second.status]).toEqual([303, 303, 303])
    expect(noticeOf(await ada.follow(second))).toBe("Your name is changed.")
    expect(await nameOf(ada)).toBe("Countess")
  })
})

const entered = async (ada: OwnerClient): Promise<OwnerClient> => {
  const other = ada.another()
  expect((await other.logIn()).status).toBe(303)
  return other
}

describe("a login", () => {
  it("gives a new token each time, whatever cookie came", async () => {
    const ada = await signedUp()
    const planted = `hxh_${"a".repeat(16)}${"b".repeat(43)}`
    const other = ada.another()
    const form = await other.form("/owner/login")
    other.cookies.set("hub_owner", planted)
    const { email, password } = ada
    await other.post("/owner/login", { ...form.fields, email, password })
    expect(other.session).toMatch(/^hxh_/)
    expect(other.session).not.toBe(planted)
    const first = other.session
    await other.logOut()
    await other.logIn()
    expect(other.session).not.toBe(first)
    other.cookies.set("hub_owner", first ?? "")
    expect((await other.get("/owner")).status).toBe(303)
  })
})

describe("a link of a letter", () => {
  const dead = `${"a".repeat(16)}${"b".repeat(43)}`

  it.each([
    ["/owner/verify", "no token"],
    ["/owner/verify?token=x", "no token"],
    ["/owner/forgot?token=", "no token"],
    ["/owner/forgot?token=%3Cb%3E", "no token"],
    [`/owner/forgot?token=${dead}`, "a newer letter"]
  ])("that holds not is told as such: %s", async (path, why) => {
    const answer = await owner().get(path)
    expect([answer.status, headingOf(answer)]).toEqual([400, "This link holds no longer"])
    expect(answer.text).toContain(why)
  })

  it("to confirm an address changes nothing until a button is pressed", async () => {
    const ada = owner()
    const page = await ada.get(`/owner/verify?token=${dead}`)
    expect([page.status, headingOf(page)]).toEqual([200, "Confirm your address"])
    const form = await ada.form(`/owner/verify?token=${dead}`, "/owner/verify")
    expect(form.fields["token"]).toBe(dead)
    const { token = "", form_token = "" } = form.fields
    refused(await ada.post("/owner/verify", { token }))
    const answer = await ada.post("/owner/verify", { token, form_token })
    expect([answer.status, headingOf(answer)]).toEqual([400, "This link holds no longer"])
  })

  it("to choose a password needs the form's own token, and a link that holds", async () => {
    const ada = owner()
    const { fields } = await ada.form("/owner/forgot")
    refused(await ada.post("/owner/forgot", { ...fields, token: dead, password: ada.password }))
  })
})

describe("whoever has forgotten a password", () => {
  it("sees the same page, whether anybody has the address", async () => {
    const ada = await signedUp()
    const ask = async (email: string) => {
      const visitor = owner()
      const answer = await visitor.fill("/owner/forgot", { email })
      const page = await visitor.follow(answer)
      return { status: answer.status, to: answer.headers.location, text: page.text.replaceAll(/value="[^"]*"/g, "") }
    }
    const somebody = await ask(ada.email)
    expect(await ask(owner().email)).toEqual(somebody)
    expect([somebody.status, somebody.to]).toEqual([303, "/owner/forgot"])
    expect(somebody.text).toContain("If there is an account with this address")
  })

  it("must give an address", async () => {
    const answer = await owner().fill("/owner/forgot", { email: "nobody" })
    expect([answer.status, answer.text.includes("This must be an e-mail address.")]).toEqual([422, true])
  })
})

it("an action that there is not is refused by its name, and bodies that are no forms", async () => {
  const ada = await signedUp()
  for (const action of ["", "toString", "explode"])
    expect((await ada.post("/owner/settings", { action })).status).toBe(422)
  const json = await ada.post("/owner/login", { a: "1" }, { "content-type": "application/json" })
  expect(json.status).toBe(422)
  for (const password of ["\0".repeat(20), "x".repeat(20_000), "\ud800".repeat(12)]) {
    const answer = await owner().fill("/owner/signup", { name: "Ada", email: owner().email, password })
    expect(answer.status).toBe(422)
  }
})
