/**
 * Baseline "monolith": Fastify and Postgres do the same work in one process. A read verifies the signature, inserts the
 * nonce under a unique key and reads the agent. A write does the same with one durable insert and one update in a
 * transaction (`synchronous_commit` on).
 */
import Fastify from "fastify"
import pg from "pg"
import { verified } from "./signed.ts"

const pool = new pg.Pool({ connectionString: process.env["BENCH_DATABASE_URL"], max: 20 })
await pool.query(`
  drop schema if exists monolith cascade; create schema monolith;
  create table monolith.nonces (key text not null, nonce text not null, at timestamptz not null default now(), primary key (key, nonce));
  create table monolith.agents (key text primary key, profile jsonb not null);
  create table monolith.events (id bigserial primary key, key text not null, event jsonb not null)`)

const app = Fastify({ logger: false })
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body))

app.get("/api/v1/me", async (request, reply) => {
  const signed = verified("GET", request.url, request.headers, null)
  if (signed === null) return reply.code(401).send({ ok: false })
  await pool.query({
    name: "nonce",
    text: "insert into monolith.nonces (key, nonce) values ($1, $2)",
    values: [signed.key, signed.nonce]
  })
  const { rows } = await pool.query<{ profile: unknown }>({
    name: "agent",
    text: "select profile from monolith.agents where key = $1",
    values: [signed.key]
  })
  return { ok: true, data: rows[0]?.profile }
})

app.patch("/api/v1/me", async (request, reply) => {
  const body = request.body as Buffer
  const signed = verified("PATCH", request.url, request.headers, body)
  if (signed === null) return reply.code(401).send({ ok: false })
  const change = body.toString("utf8")
  const client = await pool.connect()
  try {
    await client.query("begin")
    await client.query({
      name: "nonce",
      text: "insert into monolith.nonces (key, nonce) values ($1, $2)",
      values: [signed.key, signed.nonce]
    })
    await client.query({
      name: "event",
      text: "insert into monolith.events (key, event) values ($1, $2)",
      values: [signed.key, change]
    })
    const { rows } = await client.query<{ profile: unknown }>({
      name: "update",
      text: "update monolith.agents set profile = profile || $2::jsonb where key = $1 returning profile",
      values: [signed.key, change]
    })
    await client.query("commit")
    return { ok: true, data: rows[0]?.profile }
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
})

/** Adds an agent to read and write. This request is not timed. */
app.post("/agents", async (request) => {
  const { key, profile } = JSON.parse((request.body as Buffer).toString("utf8")) as { key: string; profile: unknown }
  await pool.query("insert into monolith.agents (key, profile) values ($1, $2)", [key, JSON.stringify(profile)])
  return { ok: true }
})

await app.listen({ port: Number(process.env["BENCH_PORT"]), host: "127.0.0.1" })
process.send?.({ ready: true })
process.on("disconnect", () => process.exit(0))
