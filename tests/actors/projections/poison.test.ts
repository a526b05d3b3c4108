/** One commit whose rows cannot be written, or not in time, stops no other: what can be written of it is. */
import { type Kysely, sql } from "kysely"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { postProjection } from "../../../actors/post/projection.ts"
import type { PostEvent } from "../../../actors/post/state.ts"
import { Applier, type Mark } from "../../../actors/projections/applier.ts"
import type { Message, Projection } from "../../../actors/projections/projection.ts"
import { threadProjection } from "../../../actors/thread/projection.ts"
import type { ThreadEvent } from "../../../actors/thread/state.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { logOf } from "../content/logs.ts"

let servers: OpenServers
let db: Kysely<Database>

beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})
beforeEach(async () => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true)
  await sql`truncate posts, threads, searched_posts, searched_threads, replies, projections, projection_faults`.execute(
    db
  )
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Rows in which such a word is searched fail as Postgres says it, `times` of them. */
const failing = async (word: string, code: string, times = 1000): Promise<void> => {
  await sql`create sequence if not exists failures`.execute(db)
  await sql`select setval('failures', 1, false)`.execute(db)
  for (const table of ["searched_posts", "searched_threads"]) {
    await sql
      .raw(
        `create or replace function fail() returns trigger language plpgsql as $$ begin
          if new.search @@ '${word}'::tsquery and nextval('failures') <= ${times} then
            raise exception 'a costly text' using errcode = '${code}';
          end if;
          return new;
        end $$`
      )
      .execute(db)
    await sql
      .raw(`create or replace trigger fail before insert or update on ${table} for each row execute function fail()`)
      .execute(db)
  }
}

const published = (body: string): PostEvent => {
  const texts = { title: "A title", body, tags: [], license: null, mentions: [] }
  return { type: "post.published", v: 1, author: "a", kind: "note", ...texts, text: body }
}

const opened = (body: string): ThreadEvent => {
  const texts = { title: "A title", body, tags: [], mentions: [] }
  return { type: "thread.opened", v: 1, author: "a", category: "help", kind: "question", ...texts, text: body }
}

const applied = async (projection: Projection, log: ReadonlyArray<Message>): Promise<Mark> => {
  await db.insertInto("projections").values({ name: projection.name, version: projection.version, seq: 0 }).execute()
  return new Applier(db, projection).apply(log, { seq: 0, kept: 0 })
}

const rowsIn = async (table: "posts" | "threads") =>
  (
    await sql`
      select x.id::int, x.body, x.excerpt, array_to_string(array(
        select word from unnest(string_to_array(s.search::text, ' ')) word where word not like '''*%'), ' ') as search
      from ${sql.table(table)} x join ${sql.table(`searched_${table}`)} s on s.id = x.id order by x.id`.execute(db)
  ).rows
const faults = () => db.selectFrom("projection_faults").select(["projection", "seq", "kind", "id", "error"]).execute()

test.each([
  ["22P02", "a value that is none"],
  ["54000", "more than Postgres holds"],
  ["57014", "a statement that took too long"]
])("%s, %s: the row is there without what is made of its text, and what follows it", async (code) => {
  await failing("poison", code)
  const bodies = ["one", "poison", "three"]
  const posts = logOf(bodies.map((body, index) => ({ kind: "post", id: index + 1, event: published(body) })))
  expect(await applied(postProjection, posts)).toEqual({ seq: 3, kept: 3 })
  expect(await rowsIn("posts")).toEqual([
    { id: 1, body: "one", excerpt: "one", search: "'a':1A 'one':5C 'title':2A" },
    { id: 2, body: "poison", excerpt: "", search: "" },
    { id: 3, body: "three", excerpt: "three", search: "'a':1A 'three':5C 'title':2A" }
  ])
  expect(await faults()).toEqual([
    { projection: "post", seq: "2", kind: "post", id: "2", error: "error: a costly text" }
  ])
  const threads = logOf(bodies.map((body, index) => ({ kind: "thread", id: index + 1, event: opened(body) })))
  await applied(threadProjection, threads)
  expect(await rowsIn("threads")).toMatchObject([{ id: 1 }, { id: 2, body: "poison", search: "" }, { id: 3 }])
})

test("an edit of that kind changes the text alone", async () => {
  await failing("poison", "57014")
  const edited: PostEvent = { type: "post.edited", v: 1, title: "New", body: "poison", author: "a", mentions: [] }
  const log = logOf([
    { kind: "post", id: 1, event: published("one") },
    { kind: "post", id: 1, event: edited },
    { kind: "post", id: 2, event: published("two") }
  ])
  await applied(postProjection, log)
  expect(await rowsIn("posts")).toMatchObject([
    { id: 1, body: "poison", search: "" },
    { id: 2, body: "two" }
  ])
  expect(await faults()).toMatchObject([{ seq: "2" }])
})

test("what takes too long but once is tried again", async () => {
  await failing("slow", "57014", 2)
  await applied(postProjection, logOf([{ kind: "post", id: 1, event: published("slow") }]))
  expect(await rowsIn("posts")).toMatchObject([{ id: 1, excerpt: "slow" }])
  expect(await faults()).toEqual([])
})

test.each(["55P03", "40P01", "53100"])("%s is no fault of a text: it is tried until it is well", async (code) => {
  await failing("poison", code)
  const log = logOf([{ kind: "post", id: 1, event: published("poison") }])
  await expect(applied(postProjection, log)).rejects.toMatchObject({ code })
  expect([await rowsIn("posts"), await faults()]).toEqual([[], []])
})

test("a Postgres without an answer is no fault of a commit either", async () => {
  const silent: Projection = {
    ...postProjection,
    changes: () => () => Promise.reject(new Error("Query read timeout"))
  }
  const log = logOf([{ kind: "post", id: 1, event: published("one") }])
  await expect(applied(silent, log)).rejects.toThrow("Query read timeout")
  expect([await rowsIn("posts"), await faults()]).toEqual([[], []])
})
