/**
 * Baseline "lists": Fastify and Postgres read the same rows of the same tables for the same answers, in one process, as
 * JSON, as pages and as a feed. It counts a list as rarely as the service does. Its pages have no design, and it has no
 * protection against untrusted input.
 */
import Fastify, { type FastifyReply } from "fastify"
import Markdown from "markdown-it"
import pg from "pg"

const COUNTED_MS = 30_000
const pool = new pg.Pool({ connectionString: process.env["BENCH_DATABASE_URL"], max: 20 })
const app = Fastify({ logger: false })

const counts = new Map<string, { readonly at: number; readonly total: Promise<number> }>()
const totalOf = (table: string): Promise<number> => {
  const known = counts.get(table)
  if (known !== undefined && performance.now() - known.at < COUNTED_MS) return known.total
  const total = pool.query<{ n: string }>(`select count(*) as n from ${table}`).then(({ rows }) => Number(rows[0]?.n))
  counts.set(table, { at: performance.now(), total })
  return total
}

interface Row extends Record<string, unknown> {
  readonly author: string
  readonly number: number
  readonly handle: string
  readonly name: string
  readonly author_status: string
}

const authorOf = ({ author, number, handle, name, author_status }: Row) => ({
  id: author,
  hx_id: `HX-${String(number).padStart(6, "0")}`,
  handle,
  name,
  status: author_status,
  url: `http://127.0.0.1/agents/${handle}`
})

const recordOf = (row: Row) => {
  const { number: _number, handle: _handle, name: _name, author_status: _status, ...rest } = row
  return { ...rest, author: authorOf(row), my_vote: null, url: `http://127.0.0.1/${String(row["id"])}` }
}

const AUTHOR = "a.number, a.handle, a.name, a.status as author_status"
const THREAD = `t.id, t.category, t.kind, t.title, t.tags, t.author, t.status, t.accepted_reply_id, t.reply_count, t.score,
  t.upvotes, t.downvotes, t.pinned, t.last_activity_at, t.created_at, t.updated_at, t.edited_at, ${AUTHOR}`

const meta = (total: number) => ({ page: 1, per_page: 20, total, pages: Math.ceil(total / 20) })

type Rows = ReadonlyArray<Row>

const read = async (name: string, text: string, ...values: ReadonlyArray<unknown>): Promise<Rows> =>
  (await pool.query<Row>({ name, text, values: [...values] })).rows

const threads = () =>
  read(
    "threads",
    `select ${THREAD}, t.excerpt from threads t join agents a on a.id = t.author
      order by t.last_activity_at desc, t.id desc limit 20`
  )
const posts = () =>
  read(
    "posts",
    `select p.id, p.kind, p.title, p.excerpt, p.tags, p.license, p.author, p.score, p.upvotes, p.downvotes,
        p.created_at, p.updated_at, p.edited_at, p.file, p.data, ${AUTHOR}
      from posts p join agents a on a.id = p.author order by p.hot desc, p.id desc limit 20`
  )
const thread = (id: string) =>
  read("thread", `select ${THREAD}, t.body from threads t join agents a on a.id = t.author where t.id = $1`, id)
const repliesOf = (id: string, limit: number) =>
  read(
    "replies",
    `select r.id, r.thread, r.parent, r.body, r.author, r.score, r.upvotes, r.downvotes, r.deleted, r.created_at,
        r.edited_at, ${AUTHOR}
      from replies r join agents a on a.id = r.author where r.thread = $1 order by r.created_at, r.id limit $2`,
    id,
    limit
  )

app.get("/api/v1/threads", async () => {
  const [total, rows] = await Promise.all([totalOf("threads"), threads()])
  return { ok: true, data: rows.map(recordOf), meta: meta(total) }
})

app.get("/api/v1/posts", async () => {
  const [total, rows] = await Promise.all([totalOf("posts"), posts()])
  return { ok: true, data: rows.map(recordOf), meta: meta(total) }
})

app.get<{ Params: { id: string } }>("/api/v1/threads/:id", async ({ params: { id } }) => {
  const [[first], replies] = await Promise.all([thread(id), repliesOf(id, 100)])
  return first === undefined
    ? { ok: false }
    : { ok: true, data: { ...recordOf(first), replies: replies.map(recordOf) } }
})

const markdown = new Markdown({ html: false })
const text = (value: unknown): string => String(value).replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
const row = (one: Row): string =>
  `<li><a href="/${text(one["id"])}">${text(one["title"])}</a> <p>${text(one["excerpt"])}</p>
    <p>${text(one.name)} ${text(one["score"])} ${(one["created_at"] as Date).toISOString()}</p></li>`
const page = (reply: FastifyReply, title: string, main: string): FastifyReply =>
  reply
    .type("text/html")
    .send(`<!doctype html><title>${text(title)}</title><main><h1>${text(title)}</h1>${main}</main>`)

app.get("/threads", async (_request, reply) => {
  const [total, rows] = await Promise.all([totalOf("threads"), threads()])
  return page(reply, "Threads", `<ul>${rows.map(row).join("")}</ul>${total}`)
})

app.get("/posts", async (_request, reply) => {
  const [total, rows] = await Promise.all([totalOf("posts"), posts()])
  return page(reply, "Posts", `<ul>${rows.map(row).join("")}</ul>${total}`)
})

app.get<{ Params: { slug: string } }>("/threads/:slug", async ({ params: { slug } }, reply) => {
  const id = String(Number.parseInt(slug, 10))
  const [[first], replies] = await Promise.all([thread(id), repliesOf(id, 50)])
  const shown = replies.map((one) => `<article>${text(one.name)}${markdown.render(String(one["body"]))}</article>`)
  return page(reply, String(first?.["title"]), markdown.render(String(first?.["body"])) + shown.join(""))
})

app.get("/feed", async (_request, reply) => {
  const newest = (table: string) =>
    read(
      `newest ${table}`,
      `select x.id, x.title, left(x.body, 10000) as body, x.tags, x.author, x.created_at, x.updated_at, ${AUTHOR}
        from ${table} x join agents a on a.id = x.author order by x.created_at desc, x.id desc limit 50`
    )
  const both = (await Promise.all([newest("posts"), newest("threads")])).flat()
  const entries = both
    .toSorted((one, other) => Number(other["created_at"]) - Number(one["created_at"]))
    .slice(0, 50)
    .map(
      (one) => `<entry><id>${text(one["id"])}</id><title>${text(one["title"])}</title>
        <updated>${(one["updated_at"] as Date).toISOString()}</updated><author><name>${text(one.name)}</name></author>
        <content type="html">${text(markdown.render(String(one["body"])))}</content></entry>`
    )
  return reply.type("application/atom+xml").send(`<feed xmlns="http://www.w3.org/2005/Atom">${entries.join("")}</feed>`)
})

/** Changes a thread, as new replies do. */
app.post<{ Params: { id: string } }>("/changed/:id", async ({ params: { id } }) => {
  await pool.query("update threads set reply_count = reply_count + 1, last_activity_at = now() where id = $1", [id])
  return { ok: true }
})

await app.listen({ port: Number(process.env["BENCH_PORT"]), host: "127.0.0.1" })
process.send?.({ ready: true })
process.on("disconnect", () => process.exit(0))
