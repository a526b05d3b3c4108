/** What reaches an owner, and by which way: the bounds on letters and news hold whatever happens, and nothing is lost. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decideLink, decideOffer, decideUnlink } from "../../../actors/human/chat/decide.ts"
import { confirmedBy } from "../../../actors/human/decide.ts"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { decideEndPush, decideSubscribe } from "../../../actors/human/push/decide.ts"
import {
  decideAgain,
  decideChoose,
  decideDigest,
  decideRelay,
  DIGEST_TIMER,
  isFresh
} from "../../../actors/human/relay/decide.ts"
import { choiceOf, HELD_MAX, heldFirst, OTHERS } from "../../../actors/human/relay/state.ts"
import type { Human, HumanEvent, HumanState } from "../../../actors/human/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { PASSWORD_PARAMETERS } from "../../../schemas/human/password.ts"
import { DIGEST, isSecurity, OWNER_CONFIRMED, RELAYED_EVENTS } from "../../../schemas/relay/events.ts"

const { owner } = LIMITS.limits
const ID = "hum_aaaaaaaaaaaaaaaa"
const WINDOW_MS = owner.relay_letters.window_seconds * 1000
const eventsOf = (decision: Decision<HumanEvent>): ReadonlyArray<HumanEvent> =>
  "refused" in decision ? [] : decision.events
const posted = (id: string) => ({ companions: [{ kind: "letter", id, expected: 0, events: [] }] })

class Account {
  state: HumanState = null
  events: Array<HumanEvent> = []
  /** Unix ms of each letter, of each word in the chat, of each timer. */
  readonly letters: Array<number> = []
  readonly said: Array<number> = []
  /** One for each browser. */
  readonly pushed: Array<number> = []
  readonly timers: Array<number> = []

  constructor() {
    const password = { sealed: "sealed", parameters: PASSWORD_PARAMETERS }
    this.apply([{ type: "human.registered", v: 1, personal: "sealed", address: "hash", password }], 0)
  }

  get human(): Human {
    if (this.state === null || this.state.status === "deleted") throw new Error("no account")
    return this.state
  }

  apply(events: ReadonlyArray<HumanEvent>, at: number): void {
    for (const event of events) this.state = evolveHuman(this.state, event, { at })
    this.events.push(...events)
  }

  relay(at: number, event = "message.received", agent = "hx1") {
    const facts = { letter: posted("letter"), chat: posted("chat"), push: [posted("push"), posted("push")] }
    const input = { agent, event, number: 1, at }
    this.#carryOut(decideRelay(this.state, input, { id: ID, at, seq: 0, facts }, owner), at)
  }

  /** A letter is sent again: true if it may be. */
  again(at: number, about: Parameters<typeof decideAgain>[1]): boolean | undefined {
    const decision = decideAgain(this.state, about, { at }, owner)
    if ("refused" in decision) throw new Error("refused")
    this.apply(decision.events, at)
    return decision.reply?.room
  }

  digest(at: number, due = at) {
    const facts = { letter: posted("letter") }
    this.#carryOut(decideDigest(this.state, { name: DIGEST_TIMER, at: due }, { id: ID, at, seq: 0, facts }), at)
  }

  #carryOut(decision: Decision<HumanEvent>, at: number): void {
    if ("refused" in decision) throw new Error(decision.refused.message)
    this.apply(decision.events, at)
    for (const { id } of decision.companions ?? [])
      ({ letter: this.letters, chat: this.said }[id] ?? this.pushed).push(at)
    for (const timer of decision.timers ?? []) this.timers.push(timer.at)
  }
}

const inAnyWindow = (times: ReadonlyArray<number>): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + WINDOW_MS).length))

describe("letters", () => {
  test("are never more than there may be, in any hour; the rest is counted, and told once there is room", () => {
    const steps = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 400_000 }), agent: fc.integer({ max: 5 }) }), {
      minLength: 1,
      maxLength: 300
    })
    fc.assert(
      fc.property(steps, (all) => {
        const account = new Account()
        let at = 0
        for (const { wait, agent } of all) {
          at += wait
          for (const due of account.timers.splice(0)) {
            if (due <= at) account.digest(due)
            else account.timers.push(due)
          }
          account.relay(at, "message.received", `hx${agent}`)
        }
        expect(inAnyWindow(account.letters)).toBeLessThanOrEqual(owner.relay_letters.requests)
        const count = (type: HumanEvent["type"]): number => account.events.filter((one) => one.type === type).length
        expect(count("human.relayed") + count("human.relay_held")).toBe(all.length)
        // What is held has a timer, and what has none is told.
        expect(account.human.relay.due !== null).toBe(account.timers.length > 0)
        for (const due of account.timers.splice(0)) account.digest(due)
        expect([account.human.relay.held, account.human.relay.due]).toEqual([[], null])
      })
    )
  })

  test("that could not be sent count again when they are: where there is no room they are told with others", () => {
    const account = new Account()
    for (let n = 0; n < owner.relay_letters.requests; n++) account.relay(n)
    const again = (at: number) => account.again(at, OTHERS)
    expect(again(1000)).toBe(false)
    expect(account.human.relay.held).toEqual([{ agent: "", event: "", count: 1 }])
    account.digest(WINDOW_MS)
    // Of the hour before there is one left.
    expect(again(2 * WINDOW_MS)).toBe(true)
    expect(account.human.relay.letters.at(-1)).toBe(2 * WINDOW_MS)
  })

  test("that could not be sent wait for nothing that others send, where they tell of security or of what is asked", () => {
    const account = new Account()
    for (let n = 0; n <= owner.relay_letters.requests; n++) account.relay(n)
    for (const event of ["vault.alert", OWNER_CONFIRMED, "owner.asked", "captcha.asked", "vault.consent_asked"])
      expect([event, account.again(1000, { agent: "hx1", event })]).toEqual([event, true])
    expect(account.human.relay.held).toEqual([{ agent: "hx1", event: "message.received", count: 1 }])
    for (let n = 0; n < owner.relay_security.requests; n++) account.relay(2000, "vault.alert")
    expect(account.again(3000, { agent: "hx1", event: "vault.alert" })).toBe(false)
    expect(account.human.relay.held.at(-1)).toMatchObject({ agent: "hx1", event: "vault.alert" })
  })

  test("that tell of many are sent again whatever came since, and count", () => {
    const account = new Account()
    for (let n = 0; n <= owner.relay_letters.requests; n++) account.relay(n)
    const { letters, held } = account.human.relay
    expect(account.again(1000, DIGEST)).toBe(true)
    expect(account.human.relay).toMatchObject({ held, letters: [...letters, 1000] })
  })

  test("that tell of many tell of so many kinds of things, and count the others", () => {
    const account = new Account()
    for (let n = 0; n < owner.relay_letters.requests; n++) account.relay(n)
    for (let n = 0; n < 2 * HELD_MAX; n++) account.relay(1000, "message.received", `hx${n}`)
    const { held } = account.human.relay
    expect(held.length).toBe(HELD_MAX + 1)
    expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(2 * HELD_MAX)
    expect(held.at(-1)).toEqual({ agent: "", event: "", count: HELD_MAX })
  })

  test("that tell of many come at their own timer alone, and once", () => {
    const account = new Account()
    for (let n = 0; n <= owner.relay_letters.requests; n++) account.relay(n)
    const [due = 0] = account.timers
    expect(due).toBe(WINDOW_MS)
    const context = { id: ID, seq: 0, facts: { letter: posted("letter") } }
    const fired = { name: DIGEST_TIMER, at: due }
    expect(decideDigest(account.state, fired, { ...context, at: due - 1 })).toHaveProperty("refused")
    expect(decideDigest(account.state, { ...fired, at: due - 5 }, { ...context, at: due })).toEqual({ events: [] })
    account.digest(due)
    expect(account.letters.length).toBe(owner.relay_letters.requests + 1)
    account.digest(due)
    expect(account.letters.length).toBe(owner.relay_letters.requests + 1)
  })
})

describe("the chat", () => {
  test("tells of so much an hour, and of whatever agents ask", () => {
    const account = new Account()
    for (let n = 0; n < 2 * owner.relay_chat.requests; n++) account.relay(n)
    expect(account.said.length).toBe(owner.relay_chat.requests)
    account.relay(3000, "owner.asked")
    account.relay(3000, "captcha.asked")
    expect(account.said.length).toBe(owner.relay_chat.requests + 2)
  })

  const offer = (account: Account, hash: string, at = 0): void => {
    const facts = { code: { hash }, shown: "sealed" }
    const decision = decideOffer(account.state, { id: ID, at, seq: 0, facts }, owner.chat_code_seconds)
    if ("refused" in decision) throw new Error("refused")
    account.apply(decision.events, at)
  }
  const link = (account: Account, code: string, at = 0) => {
    const facts = { chat: "hash", sealed: "sealed", claimed: 0, posted: {} }
    return decideLink(account.state, { code }, { id: ID, at, seq: 0, facts })
  }

  test("is linked by the newest code, once, in its time", () => {
    const account = new Account()
    expect(link(account, "none")).toMatchObject({ refused: { code: "token_invalid" } })
    offer(account, "first")
    offer(account, "second")
    expect(link(account, "first")).toMatchObject({ refused: { code: "token_invalid" } })
    expect(link(account, "second", owner.chat_code_seconds * 1000)).toMatchObject({
      refused: { code: "token_expired" }
    })
    const linked = link(account, "second", 1)
    if ("refused" in linked) throw new Error("refused")
    expect(linked.companions?.map(({ kind, id }) => [kind, id])).toEqual([["chat", "hash"]])
    account.apply(linked.events, 1)
    expect(account.human.chat.linked).toEqual({ chat: "hash", sealed: "sealed" })
    expect(link(account, "second", 2)).toMatchObject({ refused: { code: "token_invalid" } })
  })

  test("is taken away where it is the one that is meant", () => {
    const account = new Account()
    offer(account, "code")
    const linked = link(account, "code")
    if ("refused" in linked) throw new Error("refused")
    account.apply(linked.events, 0)
    expect(decideUnlink(account.state, { chat: "another" })).toEqual({ events: [] })
    expect(decideUnlink(account.state, { chat: null })).toMatchObject({ events: [{ type: "human.chat_unlinked" }] })
  })
})

test("a flood of held events costs the log a bounded number of commits, and each kind is named", () => {
  const account = new Account()
  const max = owner.relay_held_max
  for (let at = 0; at < 3 * max; at++) account.relay(at)
  const held = () => account.events.filter(({ type }) => type === "human.relay_held").length
  expect(held()).toBe(max)
  const before = account.events.length
  account.relay(3 * max)
  expect(account.events).toHaveLength(before)
  for (let n = 0; n < 2 * HELD_MAX; n++) account.relay(3 * max, "mention.received", `hx${n}`)
  for (let n = 0; n < 2 * HELD_MAX; n++) account.relay(3 * max, "mention.received", `hx${n}`)
  expect(held()).toBeLessThanOrEqual(max + HELD_MAX)
  expect(account.human.relay.held.filter(({ event }) => event === "mention.received")).toHaveLength(HELD_MAX - 1)
  const others = account.human.relay.held.filter(({ agent }) => agent === OTHERS.agent)
  expect(others).toEqual([{ ...OTHERS, count: 1 }])
})

describe("browsers", () => {
  const { requests, window_seconds } = owner.relay_push

  test("are told up to a limit in any window; what an agent asks for and security events have their own", () => {
    const account = new Account()
    for (let at = 0; at < 2 * requests; at++) account.relay(at)
    expect(account.pushed).toHaveLength(2 * requests)
    account.relay(2 * requests, "owner.asked")
    account.relay(2 * requests, "vault.alert")
    expect(account.pushed).toHaveLength(2 * requests + 4)
    account.relay(window_seconds * 1000)
    expect(account.pushed).toHaveLength(2 * requests + 6)
    const security = account.human.push.told_security.map(({ at }) => at)
    expect([account.human.push.told.length, security]).toEqual([requests + 1, [2 * requests]])
  })

  test("and the chat are told of so much that an agent asks for in any hour and day; the letters go on", () => {
    const { relay_asked: hourly, relay_asked_daily: daily } = owner
    const account = new Account()
    for (let n = 0; n < 2 * hourly.requests; n++) account.relay(n, "owner.asked")
    expect([account.pushed.length, account.said.length]).toEqual([2 * hourly.requests, hourly.requests])
    const hours = daily.window_seconds / hourly.window_seconds
    for (let hour = 1; hour < hours; hour++)
      for (let n = 0; n < hourly.requests; n++) account.relay(hour * hourly.window_seconds * 1000 + n, "captcha.asked")
    expect([account.pushed.length, account.said.length]).toEqual([2 * daily.requests, daily.requests])
    account.relay(daily.window_seconds * 1000 + 1, "owner.asked")
    expect([account.pushed.length, account.said.length]).toEqual([2 * daily.requests + 2, daily.requests + 1])
  })

  const subscribe = (account: Account, same: ReadonlyArray<number> = []) => {
    const decision = decideSubscribe(account.state, { facts: { sealed: "sealed", over: same, posted: {} } }, owner)
    if (!("refused" in decision)) account.apply(decision.events, 0)
    return decision
  }
  const ids = (account: Account) => account.human.push.subscriptions.map(({ id }) => id)

  test("are ten at most; the same one again takes its own place", () => {
    const account = new Account()
    for (let count = 0; count < owner.push_subscriptions_max; count++) subscribe(account)
    expect(ids(account)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(subscribe(account)).toMatchObject({ refused: { code: "validation_error" } })
    subscribe(account, [4])
    expect(ids(account)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11])
    account.apply(eventsOf(decideEndPush(account.state, { id: 1 })), 0)
    expect(eventsOf(decideEndPush(account.state, { id: 1 }))).toEqual([])
    expect(ids(account)).toEqual([2, 3, 5, 6, 7, 8, 9, 10, 11])
  })

  test("are told no more once somebody confirms the address of a stranger's account", () => {
    const account = new Account()
    subscribe(account)
    subscribe(account)
    account.apply(confirmedBy(account.human), 1)
    expect(ids(account)).toEqual([])
  })
})

test("a choice of before there were push messages leaves them at their default", () => {
  const account = new Account()
  const choices = { "message.received": { email: true, chat: false } }
  account.apply([{ type: "human.relay_chosen", v: 1, choices }], 0)
  expect(choiceOf(account.human.relay, "message.received")).toEqual({ email: true, chat: false, push: true })
})

describe("choices", () => {
  test("keep what differs from its default, and know nothing of what there is not", () => {
    const account = new Account()
    const choices = RELAYED_EVENTS.map(({ event }) => ({ event, email: true, chat: false, push: false }))
    const decision = decideChoose(account.state, {
      choices: [...choices, { event: "else", email: true, chat: true, push: true }]
    })
    if ("refused" in decision) throw new Error("refused")
    account.apply(decision.events, 0)
    for (const { event } of RELAYED_EVENTS)
      expect(choiceOf(account.human.relay, event)).toEqual({ email: true, chat: false, push: false })
    expect(choiceOf(account.human.relay, "else")).toEqual({ email: false, chat: false, push: false })
    const back = RELAYED_EVENTS.map(({ event, byDefault }) => ({ event, ...byDefault }))
    const undone = decideChoose(account.state, { choices: back })
    if ("refused" in undone) throw new Error("refused")
    account.apply(undone.events, 0)
    expect(account.human.relay.choices).toEqual({})
  })

  test("by default: letters of security events alone, in the chat what the law names and what agents ask", () => {
    for (const { event, byDefault } of RELAYED_EVENTS)
      expect([event, byDefault.email]).toEqual([event, isSecurity(event)])
    const inChat = RELAYED_EVENTS.filter(({ byDefault }) => byDefault.chat).map(({ event }) => event)
    expect(inChat).toEqual(
      expect.arrayContaining(["owner.asked", "captcha.asked", "message.received", "mention.received", "vault.alert"])
    )
  })

  test("of what happened long ago nothing is told", () => {
    const max = owner.relay_max_age_seconds * 1000
    const news = { event: "message.received", at: 0 }
    expect([isFresh(news, max, owner), isFresh(news, max + 1, owner)]).toEqual([true, false])
  })

  test("a new owner is told as long as somebody may object", () => {
    const max = owner.later_owner_seconds * 1000
    const news = { event: OWNER_CONFIRMED, at: 0 }
    expect([isSecurity(OWNER_CONFIRMED), isFresh(news, max, owner), isFresh(news, max + 1, owner)]).toEqual([
      true,
      true,
      false
    ])
  })
})

test("a deleted account is told nothing", () => {
  const account = new Account()
  account.apply([{ type: "human.deleted", v: 1 }], 1)
  account.relay(2)
  account.digest(2)
  expect([account.letters, account.said]).toEqual([[], []])
})

describe("security events", () => {
  const strangers = (account: Account): void => {
    for (let n = 0; n < 3 * owner.relay_chat.requests; n++) account.relay(n)
  }

  test("reach the owner at once, by letter and in the chat, whatever strangers send", () => {
    const account = new Account()
    strangers(account)
    const [letters, said] = [account.letters.length, account.said.length]
    account.relay(1000, "vault.alert")
    expect([account.letters.length - letters, account.said.length - said]).toEqual([1, 1])
    // They take nothing of the others' room, and hold nothing up.
    expect(account.human.relay.letters.length).toBe(owner.relay_letters.requests)
  })

  test("are bounded themselves: what is more is held, and told with the rest", () => {
    const account = new Account()
    const max = owner.relay_security.requests
    for (let n = 0; n < 2 * max; n++) account.relay(n, "vault.alert")
    expect([account.letters.length, account.said.length]).toEqual([max, max])
    expect(account.human.relay.held).toEqual([{ agent: "hx1", event: "vault.alert", count: max }])
    expect(account.timers.length).toBe(1)
  })

  test("about new owners are told one by one, however many: each letter has its link (contract 22)", () => {
    const account = new Account()
    const max = owner.relay_security.requests
    for (let n = 0; n < 2 * max; n++) account.relay(n, "vault.alert")
    for (let n = 0; n < 5 * max; n++) account.relay(1000 + n, OWNER_CONFIRMED)
    expect([account.letters.length, account.said.length, account.pushed.length]).toEqual([6 * max, 6 * max, 12 * max])
    expect(account.human.relay.held.map(({ event }) => event)).toEqual(["vault.alert"])
    expect(account.again(2000, { agent: "hx1", event: OWNER_CONFIRMED })).toBe(true)
  })

  test("about new owners take nothing of the room of others", () => {
    const account = new Account()
    const max = owner.relay_security.requests
    for (let n = 0; n < max; n++) account.relay(n, OWNER_CONFIRMED)
    for (let n = 0; n < 2 * max; n++) account.relay(1000 + n, "agent.key_rotated")
    expect([account.letters.length, account.said.length, account.pushed.length]).toEqual([2 * max, 2 * max, 4 * max])
  })

  test.each(["vault.alert", "owner.asked", "message.received"])(
    "and other news (%s) of one agent leave room for those of the person's others",
    (event) => {
      const account = new Account()
      for (const [sponsorship, agent] of ["hx1", "hx2"].entries())
        account.apply([{ type: "human.declared", v: 1, sponsorship, agent }], 0)
      for (let n = 0; n < 3 * owner.relay_chat.requests; n++) account.relay(n, event, "hx1")
      const letters = account.letters.length
      account.relay(1000, event, "hx2")
      expect([account.said.at(-1), account.pushed.at(-1)]).toEqual([1000, 1000])
      // Ordinary news that is held waits for the letter that tells of all of it.
      if (event !== "message.received") expect(account.letters.slice(letters)).toEqual([1000])
    }
  )

  test("that are held are named, and first, whatever else is held", () => {
    const account = new Account()
    for (let n = 0; n < owner.relay_letters.requests; n++) account.relay(n)
    for (let n = 0; n < 2 * HELD_MAX; n++) account.relay(1000, "message.received", `hx${n}`)
    for (let n = 0; n <= owner.relay_security.requests; n++) account.relay(2000, "vault.alert")
    const lines = heldFirst(account.human.relay.held).map(({ agent, event }) => [agent, event])
    expect(lines[0]).toEqual(["hx1", "vault.alert"])
    expect(lines.at(-1)).toEqual(["", ""])
    expect(lines).toHaveLength(HELD_MAX + 2)
  })

  test("and what an agent asks wait for nothing that others send", () => {
    const account = new Account()
    strangers(account)
    const before = account.letters.length
    for (const event of ["owner.asked", "captcha.asked", "vault.consent_asked"]) account.relay(1000, event)
    expect(account.letters.length - before).toBe(3)
    for (let n = 0; n < 2 * owner.relay_letters.requests; n++) account.relay(1000 + n, "owner.asked")
    expect(account.letters.length - before).toBe(owner.relay_letters.requests)
  })

  test("go by letter where nothing else was chosen", () => {
    const { relay } = new Account().human
    for (const event of ["vault.alert", "agent.key_rotated", "agent.recovery_scheduled", "moderation.suspended"])
      expect([event, choiceOf(relay, event).email]).toEqual([event, true])
    expect(choiceOf(relay, "message.received").email).toBe(false)
  })
})
