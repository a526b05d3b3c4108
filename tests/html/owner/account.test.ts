/** The owner's space over two edges: an account's way from its making to its end (spec 4.10, 5.2; contract 20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PersonClient } from "../../support/person.ts"
import { outcome } from "../../support/outcome.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { headingOf, noticeOf, OwnerClient, problemsOf, rowsOf } from "./client.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
/** At either edge, by turns. */
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""
const owner = (): OwnerClient => new OwnerClient(edge)

const signedUp = async (): Promise<OwnerClient> => {
  const ada = owner()
  expect((await ada.signUp()).status).toBe(303)
  return ada
}

describe("an account", () => {
  it("is made, left and entered again, at either edge", async () => {
    const ada = owner()
    const made = await ada.signUp()
    expect([made.status, made.headers.location]).toEqual([303, "/owner"])
    const home = await ada.follow(made)
    expect([home.status, headingOf(home), noticeOf(home)]).toEqual([
      200,
      "Your agents",
      expect.stringContaining("Your account is there.")
    ])
    expect(home.text).toContain("Good to see you, <bdi>Grace Hopper</bdi>.")
    const again = await ada.get("/owner")
    expect([headingOf(again), noticeOf(again)]).toEqual(["Your agents", ""])
    const left = await ada.logOut()
    expect([left.status, left.headers.location, ada.session]).toEqual([303, "/owner/login", undefined])
    expect(noticeOf(await ada.follow(left))).toBe("You have logged out.")
    const entered = await ada.logIn()
    expect([entered.status, entered.headers.location]).toEqual([303, "/owner"])
    expect(headingOf(await ada.follow(entered))).toBe("Your agents")
  })

  it("says beside its fields what is wrong with them, keeps what was typed, and never a password", async () => {
    const answer = await owner().fill("/owner/signup", { name: "", email: "no <b>address", password: "secretly" })
    expect([answer.status, problemsOf(answer)]).toEqual([
      422,
      [
        "The name must be 1 to 80 characters.",
        "This must be an e-mail address.",
        "The password must be 10 to 200 characters."
      ]
    ])
    expect(answer.text).toContain('value="no &lt;b&gt;address"')
    expect(answer.text).toContain(
      'aria-describedby="signup-name-hint signup-name-problem" aria-invalid="true" autofocus'
    )
    expect(answer.text).not.toContain("secretly")
  })

  it.each([
    ["common", "password123", /guessed first/],
    ["the person's name", "grace hopper 1", /holds your name/]
  ])("takes no password that is %s", async (_what, password, problem) => {
    const ada = owner()
    const answer = await ada.fill("/owner/signup", { name: ada.name, email: ada.email, password })
    expect([answer.status, problemsOf(answer)]).toEqual([422, [expect.stringMatching(problem)]])
    expect(ada.session).toBeUndefined()
  })

  it("is one for each address", async () => {
    const { name, email, password } = await signedUp()
    const answer = await owner().fill("/owner/signup", { name, email, password })
    expect([answer.status, problemsOf(answer)]).toEqual([409, ["There is an account with this address already."]])
  })

  it("is entered by its password alone, and nobody learns whether there is one", async () => {
    const ada = await signedUp()
    const wrong = await ada.another().logIn("something else entirely")
    const nobody = await owner().logIn()
    expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["Address or password is wrong."]])
    expect([nobody.status, problemsOf(nobody)]).toEqual([wrong.status, problemsOf(wrong)])
  })

  it("is shown to nobody without a session, who is led back once there is one", async () => {
    const ada = await signedUp()
    const other = ada.another()
    const led = await other.get("/owner/settings")
    expect([led.status, led.headers.location]).toEqual([303, "/owner/login?next=%2Fowner%2Fsettings"])
    const { email, password } = ada
    const entered = await other.fill("/owner/login?next=%2Fowner%2Fsettings", { email, password }, "/owner/login")
    expect([entered.status, entered.headers.location]).toEqual([303, "/owner/settings"])
    expect(headingOf(await other.follow(entered))).toBe("Settings")
  })

  it("is deleted by its password and its address, everywhere at once", async () => {
    const ada = await signedUp()
    const { email, password } = ada
    const wrong = await ada.change("delete", { password: "not the right one", confirm: email })
    expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["This is not your password."]])
    const elsewhere = await ada.change("delete", { password, confirm: "else@example.com" })
    expect([elsewhere.status, problemsOf(elsewhere)]).toEqual([422, [expect.stringContaining("your own address")]])
    const other = ada.another()
    await other.logIn()
    const gone = await ada.change("delete", { password, confirm: email })
    expect([gone.status, gone.headers.location, ada.session]).toEqual([303, "/owner/login", undefined])
    expect(noticeOf(await ada.follow(gone))).toContain("Your account is deleted")
    for (const _ of service.edges) expect((await other.get("/owner")).headers.location).toBe("/owner/login")
    expect(problemsOf(await ada.logIn())).toEqual(["Address or password is wrong."])
  })
})

describe("settings", () => {
  it("change the name", async () => {
    const ada = await signedUp()
    const blank = await ada.change("rename", { name: " " })
    expect([blank.status, problemsOf(blank)]).toEqual([422, ["The name must not be blank."]])
    const renamed = await ada.change("rename", { name: "Ada <Lovelace>" })
    const settings = await ada.follow(renamed)
    expect([renamed.status, noticeOf(settings)]).toEqual([303, "Your name is changed."])
    for (const _ of service.edges)
      expect((await ada.get("/owner")).text).toContain("Good to see you, <bdi>Ada &lt;Lovelace&gt;</bdi>.")
  })

  it("change the password by the present one, and end every session with it", async () => {
    const ada = await signedUp()
    const other = ada.another()
    await other.logIn()
    const { password } = ada
    const changed = "quite another one 12"
    const wrong = await ada.change("change_password", { password: "not the right one", changed })
    expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["This is not your password."]])
    const weak = await ada.change("change_password", { password, changed: "grace hopper 1" })
    expect([weak.status, problemsOf(weak)]).toEqual([422, [expect.stringContaining("holds your name")]])
    const done = await ada.change("change_password", { password, changed })
    expect([done.status, done.headers.location, ada.session]).toEqual([303, "/owner/login", undefined])
    for (const _ of service.edges) expect((await other.get("/owner")).status).toBe(303)
    expect((await ada.logIn(password)).status).toBe(422)
    expect((await ada.logIn(changed)).status).toBe(303)
  })

  it("list the sessions by browser, and end one or all others", async () => {
    const ada = await signedUp()
    const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    const logIn = async (agent: string): Promise<OwnerClient> => {
      const other = ada.another()
      const form = await other.form("/owner/login")
      const { email, password } = ada
      expect(
        (await other.post("/owner/login", { ...form.fields, email, password }, { "user-agent": agent })).status
      ).toBe(303)
      return other
    }
    const [second, third] = [await logIn(firefox), await logIn("<b>an odd browser</b>")]
    const settings = await ada.get("/owner/settings")
    expect(rowsOf(settings, "sessions")).toBe(3)
    expect(settings.text).toContain('<p class="title">Firefox on Linux</p>')
    expect(settings.text).not.toContain("an odd browser")
    const ended = await ada.change("end_session", {}, { session: "2" })
    expect(noticeOf(await ada.follow(ended))).toBe("That session has ended.")
    for (const _ of service.edges) expect((await second.get("/owner")).status).toBe(303)
    expect((await third.get("/owner")).status).toBe(200)
    const others = await ada.change("end_others", {})
    expect(noticeOf(await ada.follow(others))).toBe("All other sessions have ended.")
    expect((await third.get("/owner")).status).toBe(303)
    expect((await ada.get("/owner")).status).toBe(200)
  })

  it("end no session of somebody else, nor one that a form is not about", async () => {
    const [ada, eve] = [await signedUp(), await signedUp()]
    const [adas, eves] = [ada.another(), eve.another()]
    await adas.logIn()
    await eves.logIn()
    const form = await eve.form("/owner/settings", "/owner/settings", { action: "end_session", session: "2" })
    const other = await eve.post("/owner/settings", { ...form.fields, session: "1" })
    expect(other.status).toBe(403)
    await eve.post("/owner/settings", form.fields)
    expect([(await eves.get("/owner")).status, (await eve.get("/owner")).status]).toEqual([303, 200])
    expect([(await adas.get("/owner")).status, (await ada.get("/owner")).status]).toEqual([200, 200])
  })
})

describe("a session of the pages and one of the interface", () => {
  it("are entered each by their own means alone", async () => {
    const ada = await signedUp()
    const token = ada.session ?? ""
    expect(token).toMatch(/^hxh_[a-z2-7]{16}[\w-]{43}$/)
    const asCookie = new PersonClient({ edge })
    expect(outcome(await asCookie.call("GET", "/humans/me", undefined, { cookie: `hub_owner=${token}` }))).toBe(
      "401 authentication_required"
    )
    const led = await owner().get("/owner", { authorization: `Bearer ${token}` })
    expect([led.status, led.headers.location]).toEqual([303, "/owner/login"])
  })

  it("are told apart from what is none", async () => {
    for (const value of ["", "hxh_x", `hxh_${"a".repeat(59)}`, "%00", "a".repeat(3000)]) {
      const answer = await owner().get("/owner", { cookie: `hub_owner=${value}` })
      expect([answer.status, answer.headers.location]).toEqual([303, "/owner/login"])
    }
    const ada = await signedUp()
    const two = await owner().get("/owner", { cookie: `hub_owner=${ada.session}; hub_owner=hxh_other` })
    expect(two.status).toBe(303)
  })
})
