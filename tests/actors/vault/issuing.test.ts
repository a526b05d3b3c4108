/**
 * Requests for tokens of one place under every order of their steps that fast-check can think of, with keepers that end
 * between any two steps, and askers that repeat. The vault's decisions and the keeper's code are real. The store is a
 * list with the same condition as the stream's.
 */
import { createHash } from "node:crypto"
import { setImmediate as turn } from "node:timers/promises"
import { type Clock, Effect } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Asking } from "../../../actors/kit/worker/asks.ts"
import { QueryRefused } from "../../../actors/queries/refused.ts"
import { decideLoadKey } from "../../../actors/vault/decide-fills.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { keeperQueries } from "../../../actors/vault/keeper/give.ts"
import { newPair } from "../../../actors/vault/keeper/pairs.ts"
import { LATE, TOO_MANY, WAITING_MAX } from "../../../actors/vault/keeper/turns.ts"
import type { PlaceTokens } from "../../../actors/vault/keeper/tokens.ts"
import { serviceOf } from "../../../actors/vault/decide.ts"
import { decideAdmitService } from "../../../actors/vault/services.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock, wallMs } from "../../../schemas/runtime/clock.ts"
import { vaultTokenOf } from "../../../schemas/vault/token.ts"
import { standingClock } from "../../harness/index.ts"
import { oneTimeKey } from "../../support/vault.ts"

const AGENT = `hx${"a".repeat(24)}`
const PLACE = "operator"
const UID = "0d155771-8b7d-4ac4-bcef-166fd4a481c7"
const AT = 1_700_000_000_000
const FOREVER = { deadline: wallMs(machineClock) + 86_400_000, until: null }
const TRIES_MAX = 4
const bounds = LIMITS.service.vault

const { public_key, bytes } = await newPair()
const { ephemeral_public_key } = await oneTimeKey()
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex")

const secretOf = (request: string): string => request.padEnd(43, "x")
const tokenOf = (request: string): string => vaultTokenOf("service", AGENT, secretOf(request))

/** A keeper that ends at its asker's `step`-th step: before the step takes effect, or after it. */
interface Kill {
  readonly step: number
  readonly after: boolean
}

interface Plan {
  /** The same query is under way twice, at two keepers. */
  readonly twice: boolean
  readonly kills: ReadonlyArray<Kill>
  readonly repeats: boolean
  /** The holder of the token loads the key at once. */
  readonly loads: boolean
}

const plan: fc.Arbitrary<Plan> = fc.record({
  twice: fc.boolean(),
  kills: fc.array(fc.record({ step: fc.nat({ max: 8 }), after: fc.boolean() }), { maxLength: 2 }),
  repeats: fc.boolean(),
  loads: fc.boolean()
})

/** Everything that waits for its turn. One step is taken at a time, as the draws say. */
class Turns {
  readonly #waiting: Array<() => void> = []
  running = 0

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async run(draws: ReadonlyArray<number>): Promise<void> {
    for (let n = 0; this.running > 0; n++) {
      while (this.#waiting.length < this.running && this.running > 0) await turn()
      this.#waiting.splice((draws[n % draws.length] ?? 0) % Math.max(1, this.#waiting.length), 1)[0]?.()
      await turn()
    }
  }
}

class World {
  readonly turns = new Turns()
  vault: VaultState = null
  stored: PlaceTokens = { seq: 0, tokens: [] }
  #seq = 1

  constructor() {
    this.fold([
      { type: "vault.created", v: 1, uid: UID },
      { type: "vault.key_published", v: 1, uid: UID, public_key }
    ])
  }

  fold(events: ReadonlyArray<VaultEvent>): void {
    for (const event of events) this.vault = evolveVault(this.vault, event, { at: AT })
  }

  #asked(op: string, input: never): { readonly refused?: unknown; readonly data?: unknown } {
    if (op === "vault.look") return { data: { uid: UID, status: "active" } }
    const decision =
      op === "vault.admit_service"
        ? decideAdmitService(this.vault, input, { facts: { isOver: false, over: [] } }, bounds)
        : decideLoadKey(this.vault, input, { at: AT }, bounds)
    if ("refused" in decision) return { refused: decision.refused }
    this.fold(decision.events)
    return { data: { uid: UID, ...("reply" in decision ? decision.reply : {}) } }
  }

  /** A keeper whose steps each wait for their turn; `step` may end it, and is told the deadline of an ask. */
  keeper(step: <A>(effect: () => A, deadline?: number) => Promise<A>, clock: Clock.Clock = machineClock) {
    const ask = ((_id: string, op: string, _actor: string, input: never, within?: { readonly deadline?: number }) =>
      Effect.flatMap(
        Effect.promise(() => step(() => this.#asked(op, input), within?.deadline)),
        ({ refused, data }) => (refused === undefined ? Effect.succeed(data) : Effect.fail(refused))
      )) as Asking
    const store = {
      tokenFor: (_agent: string, _place: string, request: string) => secretOf(request),
      tokensAt: () => step(() => this.stored),
      keepTokens: (_agent: string, _place: string, tokens: PlaceTokens["tokens"], seq: number) =>
        step(() => {
          if (this.stored.seq !== seq) return false
          this.stored = { seq: this.#seq++, tokens }
          return true
        }),
      privateKeyOf: () => step(() => ({ public_key, bytes: Buffer.from(bytes) })),
      opens: () => Promise.resolve(true),
      rewrap: () => Promise.resolve({ keys: 0, current: 0, unopened: [], next: null })
    }
    return keeperQueries({ clock, ask, store })
  }
}

/** One request for a token: it is begun, repeated and given up by its asker. */
class Request {
  readonly name: string
  readonly #world: World
  readonly #plan: Plan
  #steps = 0
  token: string | null = null
  /** The asker has given up without an answer. */
  isUnsure = false
  begun = 0
  returned = 0

  constructor(world: World, name: string, of: Plan) {
    this.#world = world
    this.name = name
    this.#plan = of
  }

  /** Ends the keeper by a promise that never settles, and tells the asker. */
  #keeper(tell: () => void) {
    const { turns } = this.#world
    return this.#world.keeper(async (effect) => {
      await turns.next()
      const kill = this.#plan.kills.find(({ step }) => step === this.#steps)
      this.#steps++
      if (kill === undefined || kill.after) {
        const result = effect()
        if (kill === undefined) {
          await turns.next()
          return result
        }
      }
      tell()
      return new Promise<never>(() => undefined)
    })
  }

  /** `null` if the keeper has ended. */
  #try<A>(act: (keeper: ReturnType<World["keeper"]>) => Promise<A>): Promise<A | null> {
    return new Promise((resolve, reject) => act(this.#keeper(() => resolve(null))).then(resolve, reject))
  }

  async #asks(tick: () => number): Promise<void> {
    await this.#world.turns.next()
    if (this.begun === 0) this.begun = tick()
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        const input = { agent: AGENT, place: PLACE, request: this.name }
        const answer = await this.#try((keeper) => keeper.keeper_issue(input, FOREVER))
        if (answer !== null) {
          if (this.token === null) this.returned = tick()
          this.token = answer.token
          if (this.#plan.loads)
            await this.#try((keeper) =>
              keeper.keeper_key({ agent: AGENT, token: answer.token, ephemeral_public_key }, FOREVER)
            )
          return
        }
        if (!this.#plan.repeats || tries === TRIES_MAX - 1) {
          this.isUnsure = true
          return
        }
      } catch (error) {
        if (error instanceof QueryRefused) return
        throw error
      }
    }
  }

  async run(tick: () => number): Promise<void> {
    const { turns } = this.#world
    const one = async (): Promise<void> => {
      turns.running++
      try {
        await this.#asks(tick)
      } finally {
        turns.running--
      }
    }
    await Promise.all(this.#plan.twice ? [one(), one()] : [one()])
  }
}

test("the newest token that was returned works, in every order of steps, with keepers that end between them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 2, maxLength: 3 }),
      fc.array(fc.nat({ max: 100 }), { minLength: 40, maxLength: 120 }),
      async (plans, draws) => {
        const world = new World()
        let ticks = 0
        const requests = plans.map((of, index) => new Request(world, `r${index}`, of))
        const over = Promise.all(requests.map((one) => one.run(() => ++ticks)))
        await world.turns.run(draws)
        await over
        const returned = requests.filter(({ token }) => token !== null)
        const current = world.vault?.services.find(({ place }) => place === PLACE)
        const holder = returned.find(({ token }) => token !== null && hashOf(token) === current?.hash)
        if (holder === undefined) {
          // Only the request of an asker that gave up without an answer may have ended all tokens that were returned.
          const last = requests.find(({ name }) => hashOf(tokenOf(name)) === current?.hash)
          if (returned.length > 0 || current !== undefined) expect(last?.isUnsure).toBe(true)
          return
        }
        for (const other of returned) if (other !== holder) expect(other.begun).toBeLessThan(holder.returned)
        const token = holder.token ?? ""
        expect(serviceOf(world.vault, hashOf(token))).not.toBeNull()
        const keeper = world.keeper((effect) => Promise.resolve(effect()))
        const { vault } = await keeper.keeper_key({ agent: AGENT, token, ephemeral_public_key }, FOREVER)
        expect(vault).toBe(UID)
      }
    ),
    { numRuns: 400 }
  )
})

test("a keeper that is late at any step ends no token and uses none up, because its asker was told that it failed", async () => {
  const LATE_MS = 5000
  const issue = { agent: AGENT, place: PLACE, request: "second" }
  const key = (token: string) => ({ agent: AGENT, token, ephemeral_public_key })
  let outcomes = new Set<string>()
  for (let late = 0; late < 6; late++) {
    for (const act of ["issue", "key"] as const) {
      const world = new World()
      const well = world.keeper((effect) => Promise.resolve(effect()))
      const { token } = await well.keeper_issue({ ...issue, request: "first" }, FOREVER)
      const clock = standingClock()
      const deadline = wallMs(clock) + LATE_MS
      let steps = 0
      const keeper = world.keeper((effect, by) => {
        // A node does not begin a command whose deadline is over.
        if (steps++ === late) clock.move(LATE_MS)
        if (by !== undefined && wallMs(clock) >= by) return new Promise<never>(() => undefined)
        return Promise.resolve(effect())
      }, clock)
      const before = world.vault?.services
      const asked =
        act === "issue"
          ? keeper.keeper_issue(issue, { deadline, until: null })
          : keeper.keeper_key(key(token), { deadline, until: null })
      let outcome = "no answer"
      asked.then(
        () => (outcome = "answered"),
        (error: unknown) => (outcome = error instanceof QueryRefused ? error.refusal.code : "fault")
      )
      for (let n = 0; n < 20; n++) await turn()
      outcomes = outcomes.add(`${act}: ${outcome}`)
      if (outcome !== "answered") expect(world.vault?.services).toEqual(before)
    }
  }
  // The last steps of both are after the decision, or there are fewer steps.
  expect([...outcomes].toSorted()).toEqual([
    "issue: answered",
    "issue: no answer",
    "issue: unavailable",
    "key: answered",
    "key: no answer"
  ])
})

/** The message of a refusal, or "given". */
const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "given",
    (error: unknown) => (error instanceof QueryRefused ? error.refusal.message : Promise.reject(error))
  )

/** A keeper whose steps all wait for `open`. */
const heldKeeper = (world: World, clock: Clock.Clock = machineClock) => {
  const { promise, resolve: open } = Promise.withResolvers<void>()
  const keeper = world.keeper((effect) => promise.then(effect), clock)
  return { keeper, open }
}

test("of many requests at once, each tried three times, the token that is answered last works", async () => {
  const world = new World()
  const keeper = world.keeper((effect) => Promise.resolve(effect()))
  const given: Array<string> = []
  const names = Array.from({ length: 12 }, (_, index) => `r${index}`)
  const asked = names.map(async (request) => {
    const once = () => keeper.keeper_issue({ agent: AGENT, place: PLACE, request }, { ...FOREVER, until: 1 })
    // An asker takes the first answer, whichever try it answers.
    const answer = await Promise.race([once(), once(), once()]).catch(() => null)
    if (answer !== null) given.push(answer.token)
  })
  await Promise.all(asked)
  for (let n = 0; n < 100; n++) await turn()
  expect(given.map(hashOf).at(-1)).toBe(world.vault?.services.find(({ place }) => place === PLACE)?.hash)
  expect(given).toHaveLength(12)
})

test("whoever waits past its deadline for its turn is told so, and its tries cause nothing", async () => {
  const world = new World()
  const clock = standingClock()
  const { keeper, open } = heldKeeper(world, clock)
  const issue = (request: string, ms: number) => {
    const until = wallMs(clock) + ms
    return keeper.keeper_issue({ agent: AGENT, place: PLACE, request }, { deadline: until, until })
  }
  const first = issue("first", 60_000)
  const second = [issue("second", 5000), issue("second", 5000)]
  const third = issue("third", 60_000)
  const late = { deadline: wallMs(clock) + 60_000, until: wallMs(clock) + 5000 }
  clock.move(5000)
  expect(await Promise.all(second.map(outcomeOf))).toEqual([LATE.message, LATE.message])
  const again = keeper.keeper_issue({ agent: AGENT, place: PLACE, request: "second" }, late)
  expect(await outcomeOf(again)).toBe(LATE.message)
  open()
  expect([(await first).token, (await third).token]).toEqual([tokenOf("first"), tokenOf("third")])
  expect(world.stored.tokens.map(({ hash }) => hash)).toEqual([tokenOf("third"), tokenOf("first")].map(hashOf))
  // The asker repeats its request later, as another query.
  expect((await issue("second", 60_000)).token).toBe(tokenOf("second"))
})

test("the requests that wait at one place are bounded, and those of other places are served", async () => {
  const world = new World()
  const { keeper, open } = heldKeeper(world)
  const issue = (request: string, place = PLACE) => keeper.keeper_issue({ agent: AGENT, place, request }, FOREVER)
  const all = Array.from({ length: WAITING_MAX + 2 }, (_, index) => outcomeOf(issue(`r${index}`)))
  expect(await all.at(-1)).toBe(TOO_MANY.message)
  const elsewhere = outcomeOf(issue("elsewhere", "another"))
  open()
  expect(await elsewhere).toBe("given")
  expect((await Promise.all(all)).filter((outcome) => outcome === "given")).toHaveLength(WAITING_MAX + 1)
  expect(await outcomeOf(issue("later"))).toBe("given")
})
