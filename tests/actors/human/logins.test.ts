/** Which logins an owner is told of by a letter. */
import { expect, test } from "vitest"
import type { Posted } from "../../../actors/human/decide.ts"
import { loginsAfter, noticed } from "../../../actors/human/logins.ts"
import type { Human, Logins } from "../../../actors/human/state.ts"

const AT = Date.parse("2026-11-23T12:00:00Z")
const MINUTE = 60_000
const LETTER: Posted = { companions: [], timers: [] }

class Account {
  logins: Logins | undefined

  /** Whether a letter tells of it. */
  logIn(mark: string, at: number, letter: Posted = LETTER): boolean {
    const human = (this.logins === undefined ? {} : { logins: this.logins }) as Human
    const { remembered, posted } = noticed(human, { mark, letter }, at)
    this.logins = loginsAfter(this.logins, remembered, at)
    expect(posted).toEqual(remembered.told === true ? letter : {})
    return remembered.told === true
  }
}

test("the first of all is not told of, nor one from a browser that is known", () => {
  const account = new Account()
  expect(account.logIn("firefox", AT)).toBe(false)
  expect(account.logIn("firefox", AT + MINUTE)).toBe(false)
  expect(account.logIn("chrome", AT + 2 * MINUTE)).toBe(true)
  expect(account.logIn("chrome", AT + 600 * MINUTE)).toBe(false)
  expect(account.logIn("firefox", AT + 600 * MINUTE)).toBe(false)
})

test("there is one letter an hour; a browser that it did not tell of is told of at its next login", () => {
  const account = new Account()
  account.logIn("firefox", AT)
  expect(account.logIn("chrome", AT)).toBe(true)
  for (let minute = 0; minute < 60; minute++)
    expect(account.logIn(`stranger ${minute % 2}`, AT + minute * MINUTE)).toBe(false)
  expect(account.logIn("stranger 0", AT + 60 * MINUTE)).toBe(true)
  expect(account.logIn("stranger 1", AT + 60 * MINUTE)).toBe(false)
  expect(account.logIn("stranger 1", AT + 120 * MINUTE)).toBe(true)
})

test("where no letter goes out, browsers are known all the same; of very many the latest are", () => {
  const account = new Account()
  account.logIn("firefox", AT)
  expect(account.logIn("chrome", AT, {})).toBe(false)
  expect(account.logIn("chrome", AT)).toBe(false)
  for (let one = 0; one < 200; one++) account.logIn(`browser ${one}`, AT, {})
  expect(account.logins?.browsers).toHaveLength(50)
  expect(account.logins?.browsers.at(-1)).toBe("browser 199")
})
