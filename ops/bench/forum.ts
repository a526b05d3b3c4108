/**
 * Baseline "forum": Fastify and Postgres accept replies, votes and messages in one process. Each write is one durable
 * transaction (`synchronous_commit` on) that verifies the signature. It has the main effects of the service's writes:
 * the nonce, the uniqueness of the text, the counts of thread and author, reputation with its entry, and notifications.
 */
import { createHash } from "node:crypto"
import Fastify from "fastify"
import pg from "pg"
import { type Signed, verified } from "./signed.ts"

const pool = new pg.Pool({ connectionString: process.env["BENCH_DATABASE_URL"], max: 20 })
await pool.query(`
  drop schema if exists forum cascade; create schema forum; set search_path = forum;
  create table forum.nonces (key text not null, nonce text not null, at timestamptz not null default now(),
    primary key (key, nonce));
  create table forum.agents (key text primary key, replies int not null default 0,
    reputation int not null default 0, unread int not null default 0);
  create table forum.texts (key text not null, sha256 text not null, primary key (key, sha256));
  create table forum.threads (id bigint primary key, author text not null, replies int not null default 0,
    active_at timestamptz not null default now());
  create index on forum.threads (active_at, id);
  create table forum.replies (id bigserial primary key, thread bigint not null, author text not null,
    body text not null, at timestamptz not null default now());
  create index on forum.replies (thread, at, id);
  create table forum.watches (thread bigint not null, key text not null, unseen int not null default 0,
    primary key (thread, key));
  create table forum.posts (id bigint primary key, author text not null, up int not null default 0,
    down int not null default 0, score int not null default 0);
  create index on forum.posts (score, id);
  create table forum.votes (post bigint not null, key text not null, value int not null, primary key (post, key));
  create table forum.entries (id bigserial primary key, key text not null, delta int not null,
    reason text not null, at timestamptz not null default now());
  create index on forum.entries (key, id);
  create table forum.messages (id bigserial primary key, sender text not null, recipient text not null,
    body text not null, at timestamptz not null default now());
  create index on forum.messages (recipient, id);
  create table forum.notifications (id bigserial primary key, key text not null, payload jsonb not null,
    at timestamptz not null default now());
  create index on forum.notifications (key, id)`)

const app = Fastify({ logger: false })
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body))

interface ForumRequest {
  readonly url: string
  readonly headers: Parameters<typeof verified>[2]
  readonly body: unknown
}

type Ask = (name: string, text: string, ...values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<{ id: string }>>

/** Carries out a request in one transaction, which also stores the nonce. */
const durably = async <Body>(
  { url, headers, body }: ForumRequest,
  carryOut: (ask: Ask, signed: Signed, body: Body) => Promise<object>
): Promise<object> => {
  const bytes = body as Buffer
  const signed = verified("POST", url, headers, bytes)
  if (signed === null) return { ok: false }
  const client = await pool.connect()
  const ask: Ask = async (name, text, ...values) =>
    (await client.query<{ id: string }>({ name, text, values: [...values] })).rows
  try {
    await client.query("begin")
    await ask("nonce", "insert into forum.nonces (key, nonce) values ($1, $2)", signed.key, signed.nonce)
    const data = await carryOut(ask, signed, JSON.parse(bytes.toString("utf8")) as Body)
    await client.query("commit")
    return { ok: true, data }
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}

app.post<{ Params: { id: string } }>("/api/v1/threads/:id/replies", async (request, reply) => {
  const { id } = request.params
  return reply.code(201).send(
    await durably<{ body: string }>(request, async (ask, { key }, { body }) => {
      const sha256 = createHash("sha256").update(body).digest("hex")
      await ask("text", "insert into forum.texts (key, sha256) values ($1, $2)", key, sha256)
      const [written] = await ask(
        "reply",
        "insert into forum.replies (thread, author, body) values ($1, $2, $3) returning id",
        id,
        key,
        body
      )
      await ask("author", "update forum.agents set replies = replies + 1 where key = $1", key)
      await ask("watch", "insert into forum.watches (thread, key) values ($1, $2) on conflict do nothing", id, key)
      await ask(
        "told",
        `insert into forum.notifications (key, payload)
          select author, jsonb_build_object('thread', id, 'reply', $2::bigint) from forum.threads where id = $1`,
        id,
        written?.id
      )
      // This row has the most contention, so its lock is taken last.
      await ask("thread", "update forum.threads set replies = replies + 1, active_at = now() where id = $1", id)
      return { id: Number(written?.id), body }
    })
  )
})

app.post("/api/v1/votes", (request) =>
  durably<{ target_id: number; value: number }>(request, async (ask, { key }, { target_id, value }) => {
    const before = (await ask(
      "voted",
      "select value as id from forum.votes where post = $1 and key = $2 for update",
      target_id,
      key
    )) as ReadonlyArray<{ id: unknown }>
    const was = Number(before[0]?.id ?? 0)
    await ask(
      "vote",
      "insert into forum.votes (post, key, value) values ($1, $2, $3) on conflict (post, key) do update set value = excluded.value",
      target_id,
      key,
      value
    )
    const delta = value - was
    await ask(
      "rated",
      `with post as (update forum.posts set score = score + $2, up = up + greatest($2, 0), down = down + greatest(-$2, 0)
          where id = $1 returning author),
        agent as (update forum.agents a set reputation = reputation + $2 from post where a.key = post.author)
        insert into forum.entries (key, delta, reason) select author, $2, 'voted' from post`,
      target_id,
      delta
    )
    return { target_id, value }
  })
)

app.post("/api/v1/messages", async (request, reply) =>
  reply.code(201).send(
    await durably<{ to: string; body: string }>(request, async (ask, { key }, { to, body }) => {
      const [sent] = await ask(
        "message",
        "insert into forum.messages (sender, recipient, body) values ($1, $2, $3) returning id",
        key,
        to,
        body
      )
      await ask("unread", "update forum.agents set unread = unread + 1 where key = $1", to)
      await ask(
        "notified",
        "insert into forum.notifications (key, payload) values ($1, jsonb_build_object('message', $2::bigint))",
        to,
        sent?.id
      )
      return { id: Number(sent?.id), to, body }
    })
  )
)

/** Adds the agents, threads and posts. This request is not timed. */
app.post("/world", async (request) => {
  const { keys, threads, posts } = JSON.parse((request.body as Buffer).toString("utf8")) as Record<
    "keys" | "threads" | "posts",
    ReadonlyArray<string>
  >
  await pool.query("insert into forum.agents (key) select unnest($1::text[])", [keys])
  await pool.query("insert into forum.threads (id, author) select unnest($1::bigint[]), unnest($2::text[])", [
    threads,
    keys
  ])
  await pool.query("insert into forum.posts (id, author) select unnest($1::bigint[]), unnest($2::text[])", [
    posts,
    keys
  ])
  return { ok: true }
})

await app.listen({ port: Number(process.env["BENCH_PORT"]), host: "127.0.0.1" })
process.send?.({ ready: true })
process.on("disconnect", () => process.exit(0))
