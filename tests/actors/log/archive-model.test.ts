/**
 * Several processes write to, read and archive one log, some with an old mark, and end between the archiver's steps. A
 * plain list for each subject says what each append, and each look, must come to.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import type { Kysely } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { archiveOnce, type ArchiverParts } from "../../../actors/log/archive/archiver.ts"
import type { Commit } from "../../../actors/log/commit.ts"
import { pagesOf } from "../../../actors/log/stream-pages.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { commitOf, emptied, historyOf, idsIn, processOn, withOther, withWriter } from "./processes.ts"

const SEED = 20_261_128
const RUNS = 45
const PROCESSES = 3
const SUBJECTS = 5

let bus: EngineBus
let db: Kysely<Database>
let folder: string
let names = 0

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  folder = await mkdtemp(join(tmpdir(), "archive-"))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await db.destroy()
  await bus.stop()
})

type Step = "put" | "add" | "mark" | "drop"

type Action =
  /** Appends at once, each a group. `off`: how many commits behind the newest the writer believes itself. */
  | Appending
  /** Appends while another archives. */
  | Meanwhile
  | { readonly type: "archive"; readonly by: number; readonly chars: number }
  /** It ends before this step. */
  | { readonly type: "crash"; readonly by: number; readonly before: Step; readonly chars: number }
  /** Readers hold the archiver back. */
  | { readonly type: "held"; readonly by: number }
  | { readonly type: "lose-index" }
  | { readonly type: "restart"; readonly by: number }
  | { readonly type: "read"; readonly by: number; readonly of: number; readonly size: number; readonly skip: number }
  | { readonly type: "pages"; readonly by: number; readonly size: number }

interface Appending {
  readonly type: "append"
  readonly by: number
  readonly groups: ReadonlyArray<ReadonlyArray<At>>
}

interface Meanwhile {
  readonly type: "meanwhile"
  readonly by: number
  readonly chars: number
  readonly append: Appending
}

interface At {
  readonly of: number
  readonly off: number
}

const by = fc.nat(PROCESSES - 1)
const of = fc.nat(SUBJECTS - 1)
const chars = fc.constantFrom(1, 700, 100_000)
const at = fc.record({ of, off: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 })) })
const group = fc.uniqueArray(at, { minLength: 1, maxLength: 3, selector: ({ of: one }) => one })
const append = fc.record({
  type: fc.constant("append" as const),
  by,
  groups: fc.array(group, { minLength: 1, maxLength: 4 })
})
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: append },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("meanwhile" as const), by, chars, append }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("archive" as const), by, chars }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("crash" as const),
      by,
      before: fc.constantFrom<Step>("put", "add", "mark", "drop"),
      chars
    })
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("held" as const), by }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("lose-index" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const), by }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("read" as const),
      by,
      of,
      size: fc.constantFrom(1, 2, 50),
      skip: fc.nat(4)
    })
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("pages" as const), by, size: fc.constantFrom(1, 3, 100) }) }
)

const ended = () => Promise.reject(new Error("ended"))

/** An archiver that ends before a step. */
const endedBefore = (step: Step, parts: ArchiverParts): ArchiverParts => {
  if (step === "put") return { ...parts, objects: { ...parts.objects, put: ended } }
  if (step === "add") return { ...parts, index: withWriter(parts.index, (writer) => withOther(writer, "add", ended)) }
  if (step === "mark") return { ...parts, log: withOther(parts.log, "append", ended) }
  return { ...parts, manager: withOther(parts.manager, "streams", withOther(parts.manager.streams, "purge", ended)) }
}

interface Written {
  readonly id: string
  readonly seq: number
}

/** What a log that keeps everything would have. */
class Model {
  readonly of: ReadonlyArray<Array<Written>> = Array.from({ length: SUBJECTS }, () => [])

  last(one: number): number {
    return this.of[one]?.at(-1)?.seq ?? 0
  }

  /** What a writer expects that is so many commits behind. */
  expected({ of: one, off }: At): number {
    return off === 0 ? this.last(one) : (this.of[one]?.at(-1 - off)?.seq ?? 0)
  }

  take(one: number, written: Written): void {
    this.of[one]?.push(written)
  }

  get whole(): ReadonlyArray<Written> {
    return this.of.flat().toSorted((left, right) => left.seq - right.seq)
  }
}

class World {
  private readonly model = new Model()
  private readonly subjects = Array.from({ length: SUBJECTS }, () => subjects.event("test", `m${++names}`))
  private readonly processes = Array.from({ length: PROCESSES }, () => this.started())
  private ids = 0
  /** The index was emptied, and no archiver has made it again. */
  private isLost = false
  /** The end of the log before it. */
  private readonly from: number

  constructor(from: number) {
    this.from = from
  }

  private started() {
    return processOn({ nats: bus.nats, manager: bus.manager, db, folder })
  }

  private process(index: number) {
    const found = this.processes[index]
    if (found === undefined) throw new Error(`there is no process ${index}`)
    return found
  }

  private subject(index: number): string {
    return this.subjects[index] ?? ""
  }

  async do(step: Action): Promise<void> {
    if (step.type === "append") return this.append(step)
    if (step.type === "archive") return this.archive(step)
    if (step.type === "meanwhile") return this.meanwhile(step)
    if (step.type === "crash") return this.crash(step)
    if (step.type === "held") return this.held(step)
    if (step.type === "lose-index") return this.lose()
    if (step.type === "restart") return void (this.processes[step.by] = this.started())
    return step.type === "read" ? this.read(step) : this.pages(step)
  }

  private async meanwhile({ append: one, by: who, chars: segmentChars }: Meanwhile): Promise<void> {
    await Promise.all([this.append(one), this.archived(who, segmentChars)])
    this.isLost = false
  }

  private async append({ by: who, groups }: Appending): Promise<void> {
    const { log } = this.process(who)
    // Subjects of several groups at once are written in an order that the model does not know.
    const taken = new Set<number>()
    const apart = groups.filter((one) => {
      const isApart = one.every(({ of: each }) => !taken.has(each))
      if (isApart) for (const { of: each } of one) taken.add(each)
      return isApart
    })
    const asked = apart.map((one) => {
      const appends = one.map((each) => ({
        of: each.of,
        expected: this.model.expected(each),
        id: `${++this.ids}`
      }))
      return { appends, fits: appends.every(({ of: each, expected }) => expected === this.model.last(each)) }
    })
    const results = await Promise.all(
      asked.map(({ appends }) =>
        log.append(
          appends.map(({ of: each, expected, id }) => ({ subject: this.subject(each), expected, commit: commitOf(id) }))
        )
      )
    )
    for (const [index, { appends, fits }] of asked.entries()) {
      const result = results[index]
      if (result === undefined) throw new Error("each has one")
      if (this.isLost && !result.ok && result.reason === "unasked") continue
      expect(result).toMatchObject(fits ? { ok: true } : { ok: false, reason: "conflict" })
      if (!result.ok) continue
      for (const [place, { of: each, id }] of appends.entries())
        this.model.take(each, { id, seq: result.seqs[place] ?? 0 })
    }
  }

  private async archive({ by: who, chars: segmentChars }: Extract<Action, { type: "archive" }>): Promise<void> {
    await this.archived(who, segmentChars)
    this.isLost = false
  }

  private async archived(who: number, segmentChars: number): Promise<void> {
    const { parts } = this.process(who)
    await Effect.runPromise(archiveOnce({ ...parts, policy: { ...parts.policy, segmentChars } }))
  }

  private async crash({ by: who, before, chars: segmentChars }: Extract<Action, { type: "crash" }>): Promise<void> {
    const { parts } = this.process(who)
    const wrong = endedBefore(before, { ...parts, policy: { ...parts.policy, segmentChars } })
    await Effect.runPromise(archiveOnce(wrong)).then(
      () => (this.isLost = false),
      () => undefined
    )
    this.processes[who] = this.started()
  }

  private async held({ by: who }: Extract<Action, { type: "held" }>): Promise<void> {
    await Effect.runPromise(archiveOnce({ ...this.process(who).parts, done: () => Promise.resolve(0) }))
    this.isLost = false
  }

  private async lose(): Promise<void> {
    await emptied(this.process(0).index)
    this.isLost = true
  }

  /** Without the index a look may fail, and never says less than there is. */
  private async looked<A>(look: () => Promise<A>, wanted: A): Promise<void> {
    const found = await look().catch((error: unknown) => {
      if (this.isLost) return wanted
      throw error
    })
    expect(found).toEqual(wanted)
  }

  private async read({ by: who, of: one, size, skip }: Extract<Action, { type: "read" }>): Promise<void> {
    const { log } = this.process(who)
    const all = this.model.of[one] ?? []
    const subject = this.subject(one)
    const ids = all.map(({ id }) => id)
    await this.looked(async () => idsIn(await historyOf(log, subject, size)), ids)
    await this.looked(() => log.lastSeq(subject), this.model.last(one))
    await this.looked(async () => (await log.last(subject))?.commit.id, all.at(-1)?.id)
    await this.looked(
      async () => (await log.last(subject))?.previous,
      all.length === 0 ? undefined : (all.at(-2)?.seq ?? 0)
    )
    const from = all[skip]?.seq ?? 0
    await this.looked(
      async () => idsIn(await historyOf(log, subject, size, from)),
      from === 0 ? ids : ids.slice(skip + 1)
    )
  }

  private async pages({ by: who, size }: Extract<Action, { type: "pages" }>): Promise<void> {
    const { archive } = this.process(who)
    const pages = pagesOf(bus.nats, streams.events, this.from, size, subjects.eventsOf("test"), archive)
    await this.looked(async () => {
      const all = (await Effect.runPromise(Stream.runCollect(pages))).flat()
      return all
        .filter(({ subject }) => this.subjects.includes(subject))
        .map(({ seq, data }) => ({ id: (JSON.parse(new TextDecoder().decode(data)) as Commit).id, seq }))
    }, this.model.whole)
  }

  /** All of it, as a process reads it that knows of nothing yet. */
  async end(): Promise<void> {
    await this.archive({ type: "archive", by: 0, chars: 700 })
    this.processes[0] = this.started()
    for (let one = 0; one < SUBJECTS; one++) await this.read({ type: "read", by: 0, of: one, size: 2, skip: 1 })
    await this.pages({ type: "pages", by: 0, size: 7 })
  }
}

test("a log with an archive is written and read as one that keeps everything", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
      const world = new World((await bus.manager.streams.info(streams.events)).state.last_seq)
      for (const one of actions) await world.do(one)
      await world.end()
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: true }
  )
})
