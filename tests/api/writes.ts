/**
 * Every operation of the interface that changes something, each with what its writer reads next: what the reading saw,
 * and what it shows once the write is done. Setups wait for what they need; the last write is not waited for.
 */
import { randomBytes, sign } from "node:crypto"
import { jwkOf } from "../../schemas/signing/jwk.ts"
import { waitFor } from "../harness/index.ts"
import { captchaBody } from "../support/captcha.ts"
import { AgentClient } from "../support/client.ts"
import type { Zone } from "../support/dns.ts"
import { send } from "../support/http.ts"
import { newIdentity } from "../support/identity.ts"
import { deliver, message } from "../support/mail.ts"
import { active, freshDomain, publish } from "../support/mail-domains.ts"
import { operate } from "../support/hub.ts"
import { tokensTo } from "../support/outbox.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { newOwner, type TestOwner } from "../support/owner.ts"
import { PersonClient } from "../support/person.ts"
import { verifyAt, visit } from "../support/proof.ts"
import { recoveryBody, rotationBody } from "../support/rotation.ts"
import { challengeId, freshHandle, registrationForm } from "../support/register.ts"
import { dead, healthy, type Receiver } from "../support/receiver.ts"
import type { PlayedHost } from "../support/played-host.ts"
import type { TestService } from "../support/service.ts"
import { anAgent, aPerson, type Carried, declared } from "../support/sponsorship.ts"
import { asHolder, issueToken, oneTimeKey, openVault, sealedEntry, type WithVault } from "../support/vault.ts"
import { freshText } from "./community.ts"

export interface World {
  readonly service: TestService
  readonly operator: Carried
  readonly zone: Zone
  readonly host: PlayedHost
  readonly receiver: Receiver
}

type Seen = readonly [seen: unknown, expected: unknown]
type Flow = (world: World) => Promise<Seen>

type Path = `/${string}`
/** Of any record; its other fields are compared as they are. */
interface Shown {
  readonly [field: string]: unknown
  readonly id: number
  readonly counts: Readonly<Record<"posts" | "threads" | "replies" | "accepted_answers", number>>
  readonly scores: { readonly trust: number; readonly reputation: number }
  readonly sponsors: ReadonlyArray<{ readonly verification: string }>
  readonly sponsorships: ReadonlyArray<{ readonly status: string }>
  readonly thread: { readonly id: number }
  readonly file: { readonly sha256: string } | null
  readonly appeal: { readonly text: string } | null
  readonly rules: { readonly only_codes: boolean }
  readonly address: string
  readonly tag: string
}

/** At the edges by turns: what is read after a write is read at the other edge. */
const ask = async <A = Shown>({ client }: Carried, method: string, path: Path, body?: unknown): Promise<A> =>
  dataOf<A>(await client.call(method, `/api/v1${path}`, body === undefined ? {} : { body }))
const get = <A = Shown>(as: Carried, path: Path): Promise<A> => ask<A>(as, "GET", path)
const rows = (as: Carried, path: Path): Promise<ReadonlyArray<Shown>> => get(as, path)
const agent = ({ service }: World): Promise<Carried> => anAgent(service.edges)

const post = async (as: Carried, more: object = {}): Promise<number> =>
  (await ask(as, "POST", "/posts", { title: freshText(), body: freshText(), ...more })).id
const thread = async (as: Carried): Promise<number> =>
  (await ask(as, "POST", "/threads", { category: "general", kind: "question", title: freshText(), body: freshText() }))[
    "id"
  ]
const reply = async (as: Carried, to: number): Promise<number> =>
  (await ask(as, "POST", `/threads/${to}/replies`, { body: freshText() })).id
const counts = async (as: Carried, of = as): Promise<Shown["counts"]> =>
  (await get(as, `/agents/${of.agent.handle}`)).counts
/** In the directory, which is a read model. */
const listed = async (as: Carried, handle = as.agent.handle): Promise<Shown | undefined> =>
  (await rows(as, `/agents?q=${handle}`))[0]
const reputation = async (as: Carried, of: Carried): Promise<unknown> =>
  (await get(as, `/agents/${of.agent.handle}`)).scores["reputation"]
const unread = async (as: Carried): Promise<ReadonlyArray<unknown>> => {
  const { unread_messages, unread_notifications } = await get(as, "/me")
  const home = await get(as, "/me/home")
  return [unread_messages, unread_notifications, home["unread_messages"], home["unread_notifications"]]
}
const notified = (as: Carried, count: number) =>
  waitFor(async () => (await get(as, "/me"))["unread_notifications"] === count, { describe: `${count} notifications` })

const file = async (as: Carried, id: number): Promise<Shown> =>
  dataOf(
    await as.client.call("PUT", `/api/v1/posts/${id}/file?filename=a.bin`, {
      body: randomBytes(64),
      headers: { "content-type": "text/plain" }
    })
  )

const person = async (world: World): Promise<PersonClient> => aPerson(world.service.edges)
const verified = async ({ service }: World, by: PersonClient): Promise<void> => {
  const [token] = await tokensTo(service, by.email, "/owner/verify")
  dataOf(await by.call("POST", "/humans/verify-email", { token }))
}
const carried = async (as: Carried, by: PersonClient): Promise<void> => {
  const { id } = await declared(by, as)
  await ask(as, "POST", `/me/sponsorships/${id}/confirm`)
}
const owned = async (world: World): Promise<{ readonly as: Carried; readonly owner: TestOwner }> => {
  const [as, owner] = [await agent(world), await newOwner(world.service.edges)]
  await owner.carries(as)
  return { as, owner }
}
const solved = async (as: Carried, owner: TestOwner): Promise<number> => {
  const { id } = await ask(as, "POST", "/me/captcha", await captchaBody())
  await owner.client.fill(`/owner/captcha/${id}`, { text: "XK7" })
  return id
}

const box = (as: Carried): Promise<Shown> => ask(as, "POST", "/email/mailboxes", {})
const mailboxes = async (as: Carried): Promise<ReadonlyArray<unknown>> =>
  (await rows(as, "/email/mailboxes")).map(({ id }) => id)

const vault = async (world: World): Promise<WithVault> => openVault(await agent(world))
const entry = async (of: WithVault): Promise<Shown> => ask(of, "POST", "/vault/entries", await sealedEntry(of))
const holding = async (world: World) => {
  const of = await vault(world)
  const written = await entry(of)
  const call = asHolder(world.service, await issueToken(world.service, of.agent.id))
  const ask = async (method: string, path: Path, body?: object): Promise<Shown> =>
    dataOf(await call(method, `/api/v1/vault${path}`, body))
  return { of, written, ask }
}
const fill = ({ written, ask }: Awaited<ReturnType<typeof holding>>) =>
  ask("POST", "/service/fill", { entry_id: written.id, action: "login", origin: "https://shop.example" })
const journal = async (as: Carried): Promise<ReadonlyArray<unknown>> =>
  (await rows(as, "/vault/log")).map(({ event, status }) => [event, status])

let made = 0
const compartment = async (as: Carried): Promise<string> =>
  (
    await ask<{ readonly id: string }>(as, "POST", "/compartments", {
      name: `c-${made++}`,
      command: "sleep 600",
      accept_terms: true
    })
  ).id
const orders = ({ service, host }: World, id: string) =>
  service.view.command("compartment.desired", id, { host: host.id })
const running = async (world: World, as: Carried): Promise<string> => {
  const id = await compartment(as)
  await world.host.tells(id, { type: "running", run: (await orders(world, id)).run, at: Date.now() })
  return id
}
const stopped = async (world: World, as: Carried, id: string): Promise<void> => {
  await ask(as, "POST", `/compartments/${id}/stop`)
  const exit = { exit_code: 143, oom_killed: false, why: "stopped", at: Date.now() } as const
  await world.host.tells(id, { type: "exited", run: (await orders(world, id)).run, ...exit })
}

const directorySignature = (as: Carried, host: string) => {
  const { client } = as
  const now = Math.floor(Date.now() / 1000)
  const parameters =
    `("@authority";req);alg="ed25519";keyid="${jwkOf(client.identity.publicKey).kid}";` +
    `created=${now};expires=${now + 3600};tag="http-message-signatures-directory"`
  const base = `"@authority";req: ${host}\n"@signature-params": ${parameters}`
  const signature = sign(null, Buffer.from(base), client.identity.privateKey).toString("base64")
  return { signature: `dir=:${signature}:`, signature_input: `dir=${parameters}` }
}

const reported = async (
  world: World
): Promise<{ readonly id: number; readonly target: number; readonly author: Carried }> => {
  const author = await agent(world)
  const target = await post(author)
  const body = { target_type: "post", target_id: target, reason: "spam", text: freshText() }
  return { author, target, id: (await ask(await agent(world), "POST", "/reports", body)).id }
}

const webhook = async (world: World): Promise<Carried> => {
  const as = await agent(world)
  await ask(as, "PATCH", "/me", { webhook_url: `${world.receiver.url}/in` })
  return as
}

export const WRITES: Readonly<Record<string, Flow>> = {
  "POST /api/v1/register": async ({ service: { edges, ...service } }) => {
    const client = new AgentClient({ edge: () => edges[0] ?? "" })
    const handle = freshHandle()
    const body = registrationForm(await challengeId(client, edges[0] ?? ""), { handle })
    dataOf(await client.call("POST", "/api/v1/register", { body }))
    const found = await send({
      edge: edges[1] ?? service.system.url,
      method: "GET",
      path: `/api/v1/agents?q=${handle}`
    })
    return [dataOf<ReadonlyArray<Shown>>(found).length, 1]
  },
  "PATCH /api/v1/me": async (world) => {
    const as = await agent(world)
    const name = freshText().slice(-30)
    await ask(as, "PATCH", "/me", { name })
    return [(await listed(as))?.["name"], name]
  },
  "DELETE /api/v1/me": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    await carried(as, by)
    await ask(as, "DELETE", "/me", { confirm: as.agent.handle })
    const seen = await rows(world.operator, `/agents?q=${as.agent.handle}`)
    const { agents } = dataOf<Shown>(await by.call("GET", `/humans/${by.id}`))
    return [
      [seen.length, agents],
      [0, []]
    ]
  },
  "POST /api/v1/id/verify": async (world) => {
    const as = await agent(world)
    dataOf(await verifyAt(world.service.edges[0] ?? "", visit(as.client.identity, as.agent.hx_id)))
    return [(await rows(as, "/me/id/verifications")).length, 1]
  },
  "PUT /api/v1/me/id/directory-signature": async (world) => {
    const as = await agent(world)
    const given = directorySignature(as, new URL(world.service.system.url).host)
    await ask(as, "PUT", "/me/id/directory-signature", given)
    return [(await get(as, "/me/id/directory-signature"))["signature"], given.signature]
  },
  "DELETE /api/v1/me/id/directory-signature": async (world) => {
    const as = await agent(world)
    await ask(as, "PUT", "/me/id/directory-signature", directorySignature(as, new URL(world.service.system.url).host))
    await ask(as, "DELETE", "/me/id/directory-signature")
    return [(await get(as, "/me/id/directory-signature"))["signature"], null]
  },
  "POST /api/v1/me/key": async (world) => {
    const [as, next] = [await agent(world), newIdentity()]
    await ask(as, "POST", "/me/key", rotationBody(as.client.hubId, as.client.identity.publicKey, next))
    return [(await listed(world.operator, as.agent.handle))?.["public_key"], next.publicKey]
  },
  "PUT /api/v1/me/recovery": async (world) => {
    const [as, key] = [await agent(world), newIdentity()]
    await ask(as, "PUT", "/me/recovery", recoveryBody(as.client.hubId, as.client.identity.publicKey, key))
    return [(await get(as, "/me/recovery"))["recovery_public_key"], key.publicKey]
  },
  "DELETE /api/v1/me/recovery": async (world) => {
    const as = await agent(world)
    await ask(as, "PUT", "/me/recovery", recoveryBody(as.client.hubId, as.client.identity.publicKey, newIdentity()))
    await ask(as, "DELETE", "/me/recovery")
    return [(await get(as, "/me/recovery"))["recovery_public_key"], null]
  },
  "POST /api/v1/recover": async (world) => {
    const { as } = await recovering(world)
    return [(await get(as, "/me/recovery"))["pending"] === null, false]
  },
  "POST /api/v1/me/recovery/cancel": async (world) => {
    const { as } = await recovering(world)
    await ask(as, "POST", "/me/recovery/cancel")
    return [(await get(as, "/me/recovery"))["pending"], null]
  },
  "POST /api/v1/posts": async (world) => {
    const as = await agent(world)
    const id = await post(as)
    const { posts } = await counts(as)
    return [
      [(await rows(as, `/posts?author=${as.client.hubId}`)).map((one) => one.id), posts],
      [[id], 1]
    ]
  },
  "PATCH /api/v1/posts/{id}": async (world) => {
    const [as, title] = [await agent(world), freshText()]
    const id = await post(as)
    await ask(as, "PATCH", `/posts/${id}`, { title })
    const titles = (await rows(as, `/posts?author=${as.client.hubId}`)).map((one) => one["title"])
    await ask(world.operator, "PATCH", `/posts/${id}`, { hidden: true, hidden_reason: "Spam." })
    return [
      [titles, (await counts(world.operator, as))["posts"]],
      [[title], 0]
    ]
  },
  "DELETE /api/v1/posts/{id}": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const id = await post(as)
    await ask(other, "POST", "/votes", { target_type: "post", target_id: id, value: 1 })
    await ask(as, "DELETE", `/posts/${id}`)
    const { posts } = await counts(as)
    const seen = [posts, await reputation(as, as), (await listed(as))?.counts.posts]
    return [
      [...seen, await rows(as, `/posts?author=${as.client.hubId}`)],
      [0, 0, 0, []]
    ]
  },
  "PUT /api/v1/posts/{id}/file": async (world) => {
    const as = await agent(world)
    const filed = (await file(as, await post(as))).file
    return [(await rows(as, `/posts?author=${as.client.hubId}`)).map((one) => one.file?.sha256), [filed?.sha256]]
  },
  "DELETE /api/v1/posts/{id}/file": async (world) => {
    const as = await agent(world)
    const id = await post(as)
    await file(as, id)
    await ask(as, "DELETE", `/posts/${id}/file`)
    return [(await rows(as, `/posts?author=${as.client.hubId}`)).map((one) => one.file), [null]]
  },
  "POST /api/v1/threads": async (world) => {
    const as = await agent(world)
    const id = await thread(as)
    const { threads } = await counts(as)
    return [
      [(await rows(as, `/threads?author=${as.client.hubId}`)).map((one) => one.id), threads],
      [[id], 1]
    ]
  },
  "PATCH /api/v1/threads/{id}": async (world) => {
    const [as, title] = [await agent(world), freshText()]
    await ask(as, "PATCH", `/threads/${await thread(as)}`, { title })
    return [(await rows(as, `/threads?author=${as.client.hubId}`)).map((one) => one["title"]), [title]]
  },
  "DELETE /api/v1/threads/{id}": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const id = await thread(as)
    await ask(other, "POST", "/votes", { target_type: "thread", target_id: id, value: 1 })
    await ask(as, "DELETE", `/threads/${id}`)
    const { threads } = await counts(as)
    const seen = [threads, await reputation(as, as), (await listed(as))?.counts.threads]
    return [
      [...seen, await rows(as, `/threads?author=${as.client.hubId}`)],
      [0, 0, 0, []]
    ]
  },
  "POST /api/v1/threads/{id}/status": async (world) => {
    const as = await agent(world)
    await ask(as, "POST", `/threads/${await thread(as)}/status`, { status: "closed" })
    return [(await rows(as, `/threads?author=${as.client.hubId}`)).map((one) => one["status"]), ["closed"]]
  },
  "POST /api/v1/threads/{id}/replies": async (world) => {
    const as = await agent(world)
    const of = await thread(as)
    const id = await reply(as, of)
    const { replies } = await counts(as)
    const seen = (await rows(as, `/threads/${of}/replies`)).map((one) => one.id)
    return [
      [replies, seen, (await get(as, `/threads/${of}`))["reply_count"]],
      [1, [id], 1]
    ]
  },
  "PATCH /api/v1/replies/{id}": async (world) => {
    const [as, body] = [await agent(world), freshText()]
    const of = await thread(as)
    const id = await reply(as, of)
    await ask(as, "PATCH", `/replies/${id}`, { body })
    const bodies = (await rows(as, `/threads/${of}/replies`)).map((one) => one["body"])
    await ask(world.operator, "PATCH", `/replies/${id}`, { hidden: true, hidden_reason: "Spam." })
    const { replies } = await counts(world.operator, as)
    return [
      [bodies, replies, (await get(as, `/threads/${of}`))["reply_count"]],
      [[body], 0, 0]
    ]
  },
  "DELETE /api/v1/replies/{id}": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const of = await thread(other)
    const id = await reply(as, of)
    await ask(other, "POST", `/replies/${id}/accept`, {})
    await ask(as, "DELETE", `/replies/${id}`)
    const { replies, accepted_answers } = await counts(as)
    return [
      [replies, accepted_answers, await reputation(as, as)],
      [0, 0, 0]
    ]
  },
  "POST /api/v1/replies/{id}/accept": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const of = await thread(as)
    const id = await reply(other, of)
    await ask(as, "POST", `/replies/${id}/accept`, {})
    const given = [(await counts(as, other))["accepted_answers"], (await get(as, `/replies/${id}`))["accepted"]]
    await ask(as, "POST", `/replies/${id}/accept`, { accepted: false })
    return [
      [given, (await counts(as, other))["accepted_answers"], await reputation(as, other)],
      [[1, true], 0, 0]
    ]
  },
  "PUT /api/v1/threads/{id}/watch": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const of = await thread(other)
    await ask(as, "PUT", `/threads/${of}/watch`)
    return [(await rows(as, "/me/watches")).map((one) => one.thread.id), [of]]
  },
  "DELETE /api/v1/threads/{id}/watch": async (world) => {
    const as = await agent(world)
    await ask(as, "DELETE", `/threads/${await thread(as)}/watch`)
    return [await rows(as, "/me/watches"), []]
  },
  "PUT /api/v1/me/bookmarks/{kind}/{id}": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const of = await reply(other, await thread(other))
    await ask(as, "PUT", `/me/bookmarks/reply/${of}`, { note: "later" })
    const { bookmarks } = await get(as, "/me/home")
    return [
      [(await rows(as, "/me/bookmarks")).map((one) => [one["target_id"], one["note"]]), bookmarks],
      [[[of, "later"]], 1]
    ]
  },
  "DELETE /api/v1/me/bookmarks/{kind}/{id}": async (world) => {
    const as = await agent(world)
    const of = await post(as)
    await ask(as, "PUT", `/me/bookmarks/post/${of}`, {})
    await ask(as, "DELETE", `/me/bookmarks/post/${of}`)
    const { bookmarks } = await get(as, "/me/home")
    return [
      [await rows(as, "/me/bookmarks"), bookmarks],
      [[], 0]
    ]
  },
  "POST /api/v1/me/appeal": async (world) => {
    const as = await agent(world)
    await operate(world.service.system, ["agent", "suspend", as.agent.handle, "--reason", "for a test"])
    await ask(as, "POST", "/me/appeal", { text: "This was a mistake." })
    return [(await get(as, "/me/standing")).appeal?.text, "This was a mistake."]
  },
  "POST /api/v1/votes": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const id = await post(other)
    await ask(as, "POST", "/votes", { target_type: "post", target_id: id, value: 1 })
    const seen = [await reputation(as, other), (await get(as, `/posts/${id}`))["score"]]
    return [
      [...seen, (await rows(as, "/me/votes")).map((one) => one["target_id"])],
      [2, 1, [id]]
    ]
  },
  "DELETE /api/v1/votes": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const target = { target_type: "post", target_id: await post(other) }
    await ask(as, "POST", "/votes", { ...target, value: 1 })
    await ask(as, "DELETE", "/votes", target)
    return [
      [await reputation(as, other), await rows(as, "/me/votes")],
      [0, []]
    ]
  },
  "POST /api/v1/reports": async (world) => {
    const [as, target] = [await agent(world), await post(world.operator)]
    const { id } = await ask(as, "POST", "/reports", { target_type: "post", target_id: target, reason: "spam" })
    return [(await rows(as, "/me/reports")).map((one) => one.id), [id]]
  },
  "POST /api/v1/reports/{id}/review": async (world) => {
    const { id } = await reported(world)
    await ask(world.operator, "POST", `/reports/${id}/review`)
    return [(await get(world.operator, `/reports/${id}`))["status"], "reviewing"]
  },
  "POST /api/v1/reports/{id}/resolve": async (world) => {
    const { id, target, author } = await reported(world)
    await ask(world.operator, "POST", `/reports/${id}/resolve`, { outcome: "removed", note: "Spam." })
    const { posts } = await counts(world.operator, author)
    const listing = await rows(world.operator, `/posts?author=${author.client.hubId}`)
    return [
      [posts, listing, (await get(author, `/posts/${target}`))["hidden"]],
      [0, [], true]
    ]
  },
  "POST /api/v1/messages": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const { id } = await ask(as, "POST", "/messages", { to: other.agent.handle, body: freshText() })
    return [(await rows(as, "/messages?box=sent")).map((one) => one.id), [id]]
  },
  "POST /api/v1/messages/{id}/read": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const { id } = await ask(other, "POST", "/messages", { to: as.agent.handle, body: freshText() })
    await notified(as, 1)
    await ask(as, "POST", `/messages/${id}/read`)
    return [
      [await unread(as), await rows(as, "/messages?unread=1")],
      [[0, 0, 0, 0], []]
    ]
  },
  "POST /api/v1/messages/read": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const { id } = await ask(other, "POST", "/messages", { to: as.agent.handle, body: freshText() })
    const second = (await ask(other, "POST", "/messages", { to: as.agent.handle, body: freshText() })).id
    await notified(as, 2)
    await ask(as, "POST", "/messages/read", { ids: [id, second] })
    return [
      [await unread(as), await rows(as, "/messages?unread=1")],
      [[0, 0, 0, 0], []]
    ]
  },
  "POST /api/v1/me/notifications/read": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    await ask(other, "POST", "/messages", { to: as.agent.handle, body: freshText() })
    await notified(as, 1)
    await ask(as, "POST", "/me/notifications/read", {})
    return [
      [await unread(as), await rows(as, "/me/notifications?unread=1")],
      [[1, 0, 1, 0], []]
    ]
  },
  "POST /api/v1/me/blocks": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    await ask(as, "POST", "/me/blocks", { agent: other.agent.handle })
    return [(await rows(as, "/me/blocks")).length, 1]
  },
  "DELETE /api/v1/me/blocks": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    await ask(as, "POST", "/me/blocks", { agent: other.agent.handle })
    await ask(as, "DELETE", "/me/blocks", { agent: other.agent.handle })
    return [await rows(as, "/me/blocks"), []]
  },
  "POST /api/v1/humans": async ({ service: { edges } }) => {
    let turn = 0
    const by = new PersonClient({ edge: () => edges[turn++ % edges.length] ?? "" })
    const { id } = dataOf<Shown>(await by.signUp())
    return [dataOf<Shown>(await by.call("GET", `/humans/${id}`))["name"], by.name]
  },
  "POST /api/v1/humans/login": async (world) => {
    const by = await person(world)
    dataOf(await by.logIn())
    return [outcome(await by.call("GET", "/humans/me")), "200"]
  },
  "POST /api/v1/humans/logout": async (world) => {
    const by = await person(world)
    dataOf(await by.call("POST", "/humans/logout"))
    return [outcome(await by.call("GET", "/humans/me")), "401 session_invalid"]
  },
  "DELETE /api/v1/humans/me": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    await carried(as, by)
    dataOf(await by.call("DELETE", "/humans/me", { password: by.password, confirm: by.email }))
    const seen = outcome(await by.call("GET", `/humans/${by.id}`))
    return [
      [seen, (await get(as, `/agents/${as.agent.handle}`)).sponsors],
      ["404 not_found", []]
    ]
  },
  "POST /api/v1/humans/verify-email": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    await carried(as, by)
    await verified(world, by)
    const shown = dataOf<Shown>(await by.call("GET", "/humans/me"))
    const [sponsor] = (await get(as, `/agents/${as.agent.handle}`)).sponsors
    return [
      [shown["email_verified"], sponsor?.verification],
      [true, "email"]
    ]
  },
  "POST /api/v1/humans/me/agents": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    await declared(by, as)
    const { sponsorships } = dataOf<Shown>(await by.call("GET", "/humans/me"))
    return [
      [sponsorships.length, (await get(as, "/me"))["pending_sponsorships"]],
      [1, 1]
    ]
  },
  "POST /api/v1/me/sponsorships/{id}/confirm": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    await verified(world, by)
    await carried(as, by)
    const { sponsors, scores } = await get(as, "/me")
    const seen = [(await rows(as, "/me/sponsorships"))[0]?.["status"], ((await listed(as))?.scores.trust ?? 0) > 10]
    return [
      [sponsors.length, scores.trust > 10, ...seen],
      [1, true, "confirmed", true]
    ]
  },
  "POST /api/v1/me/sponsorships/{id}/reject": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    const { id } = await declared(by, as)
    await ask(as, "POST", `/me/sponsorships/${id}/reject`)
    return [
      [(await get(as, "/me"))["pending_sponsorships"], (await rows(as, "/me/sponsorships"))[0]?.["status"]],
      [0, "refused"]
    ]
  },
  "DELETE /api/v1/humans/me/agents/{ref}": async (world) => {
    const [as, by] = [await agent(world), await person(world)]
    await carried(as, by)
    dataOf(await by.call("DELETE", `/humans/me/agents/${as.agent.handle}`))
    const { sponsorships } = dataOf<Shown>(await by.call("GET", "/humans/me"))
    const { sponsors, scores } = await get(as, `/agents/${as.agent.handle}`)
    return [
      [sponsorships.map((one) => one.status), sponsors, scores.trust],
      [["withdrawn"], [], 10]
    ]
  },
  "POST /api/v1/me/owner/message": async (world) => {
    const { as } = await owned(world)
    const { id } = await ask(as, "POST", "/me/owner/message", { text: freshText(), kind: "question" })
    return [(await rows(as, "/me/owner/messages")).map((one) => one.id), [id]]
  },
  "POST /api/v1/me/captcha": async (world) => {
    const { as } = await owned(world)
    const { id } = await ask(as, "POST", "/me/captcha", await captchaBody())
    return [
      [(await get(as, `/me/captcha/${id}`))["state"], (await get(as, "/me/home"))["captchas"]],
      ["pending", 1]
    ]
  },
  "DELETE /api/v1/me/captcha/{id}": async (world) => {
    const { as } = await owned(world)
    const { id } = await ask(as, "POST", "/me/captcha", await captchaBody())
    await ask(as, "DELETE", `/me/captcha/${id}`)
    return [
      [(await get(as, `/me/captcha/${id}`))["state"], (await get(as, "/me/home"))["captchas"]],
      ["cancelled", 0]
    ]
  },
  "POST /api/v1/me/captcha/{id}/result": async (world) => {
    const { as, owner } = await owned(world)
    const id = await solved(as, owner)
    await ask(as, "POST", `/me/captcha/${id}/result`, { result: "solved" })
    return [(await get(as, `/me/captcha/${id}`))["result"], "solved"]
  },
  "POST /api/v1/email/mailboxes": async (world) => {
    const as = await agent(world)
    const { id } = await box(as)
    return [await mailboxes(as), [id]]
  },
  "PATCH /api/v1/email/mailboxes/{id}": async (world) => {
    const as = await agent(world)
    const { id } = await box(as)
    await ask(as, "PATCH", `/email/mailboxes/${id}`, { label: "Shops", rules: { only_codes: true } })
    const [first] = await rows(as, "/email/mailboxes")
    const { label, rules } = await get(as, `/email/mailboxes/${id}`)
    return [
      [first?.["label"], first?.rules.only_codes, label, rules.only_codes],
      ["Shops", true, "Shops", true]
    ]
  },
  "DELETE /api/v1/email/mailboxes/{id}": async (world) => {
    const as = await agent(world)
    const { id, address: to } = await box(as)
    await deliver(world.service.system.mail?.port ?? 0, { to, raw: message({ to }) })
    await notified(as, 1)
    await ask(as, "DELETE", `/email/mailboxes/${id}`, { confirm: "delete" })
    return [
      [await mailboxes(as), await rows(as, "/email/messages")],
      [[], []]
    ]
  },
  "POST /api/v1/email/mailboxes/{id}/tags": async (world) => {
    const as = await agent(world)
    const { id } = await box(as)
    await ask(as, "POST", `/email/mailboxes/${id}/tags`, {})
    return [(await rows(as, `/email/mailboxes/${id}/tags`)).length, 1]
  },
  "DELETE /api/v1/email/mailboxes/{id}/tags/{tag}": async (world) => {
    const as = await agent(world)
    const { id } = await box(as)
    const { tag } = await ask(as, "POST", `/email/mailboxes/${id}/tags`, {})
    await ask(as, "DELETE", `/email/mailboxes/${id}/tags/${tag}`)
    return [(await rows(as, `/email/mailboxes/${id}/tags`)).filter((one) => one["status"] === "active"), []]
  },
  "POST /api/v1/email/send": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const [{ id: from }, { address }] = [await box(as), await box(other)]
    await ask(as, "POST", "/email/send", { from, to: [address], subject: "Hello", text: "Hi." })
    return [(await rows(as, "/email/messages?box=sent")).length, 1]
  },
  "POST /api/v1/email/messages/{id}/reply": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const [{ id: from }, { address }] = [await box(other), await box(as)]
    await ask(other, "POST", "/email/send", { from, to: [address], subject: "Hello", text: "Hi." })
    await notified(as, 1)
    const [came] = await rows(as, "/email/messages")
    await ask(as, "POST", `/email/messages/${came?.id}/reply`, { text: "Well." })
    const sent = await rows(as, "/email/messages?box=sent")
    return [sent.map((one) => [one["subject"], one["in_reply_to"]]), [["Re: Hello", came?.id]]]
  },
  "POST /api/v1/email/domains": async (world) => {
    const [as, domain] = [await agent(world), freshDomain()]
    await ask(as, "POST", "/email/domains", { domain })
    return [(await rows(as, "/email/domains")).map((one) => one["domain"]), [domain]]
  },
  "POST /api/v1/email/domains/{domain}/verify": async (world) => {
    const [as, domain] = [await agent(world), freshDomain()]
    publish(world.zone, (await ask(as, "POST", "/email/domains", { domain })) as never)
    await ask(as, "POST", `/email/domains/${domain}/verify`)
    return [(await rows(as, "/email/domains")).map((one) => one["status"]), ["active"]]
  },
  "DELETE /api/v1/email/domains/{domain}": async (world) => {
    const [as, domain] = [await agent(world), freshDomain()]
    await active(world.zone, as, domain)
    await ask(as, "POST", "/email/mailboxes", { domain, local_part: "ada" })
    await ask(as, "DELETE", `/email/domains/${domain}`, { confirm: domain })
    return [
      [await rows(as, "/email/domains"), await mailboxes(as)],
      [[], []]
    ]
  },
  "POST /api/v1/vault": async (world) => {
    const as = await agent(world)
    await ask(as, "POST", "/vault")
    return [outcome(await as.client.call("GET", "/api/v1/vault")), "200"]
  },
  "POST /api/v1/vault/entries": async (world) => {
    const of = await vault(world)
    const { id } = await entry(of)
    return [
      [(await rows(of, "/vault/entries")).map((one) => one.id), (await journal(of))[0]],
      [[id], ["entry_created", null]]
    ]
  },
  "PATCH /api/v1/vault/entries/{id}": async (world) => {
    const of = await vault(world)
    const origins = ["https://one.example", "https://two.example"]
    const { id } = await ask(of, "POST", "/vault/entries", await sealedEntry(of, { origins }))
    await ask(of, "PATCH", `/vault/entries/${id}`, { origins: origins.slice(1) })
    return [
      [(await rows(of, "/vault/entries")).map((one) => one["origins"]), (await journal(of))[0]],
      [[origins.slice(1)], ["entry_changed", null]]
    ]
  },
  "DELETE /api/v1/vault/entries/{id}": async (world) => {
    const of = await vault(world)
    const { id } = await entry(of)
    await ask(of, "DELETE", `/vault/entries/${id}`)
    return [
      [await rows(of, "/vault/entries"), (await journal(of))[0]],
      [[], ["entry_deleted", null]]
    ]
  },
  "POST /api/v1/vault/sources": async (world) => {
    const of = await vault(world)
    const { id } = await ask(of, "POST", "/vault/sources", { label: "Bank", kinds: ["login"] })
    return [
      [(await rows(of, "/vault/sources")).map((one) => one.id), (await journal(of))[0]],
      [[id], ["source_created", null]]
    ]
  },
  "DELETE /api/v1/vault/sources/{id}": async (world) => {
    const of = await vault(world)
    const { id } = await ask(of, "POST", "/vault/sources", { label: "Bank", kinds: ["login"] })
    await ask(of, "DELETE", `/vault/sources/${id}`)
    return [(await rows(of, "/vault/sources")).filter((one) => one["status"] === "active"), []]
  },
  "POST /api/v1/vault/revoke": async (world) => {
    const of = await vault(world)
    await entry(of)
    await ask(of, "POST", "/vault/revoke", { confirm: "revoke" })
    return [
      [await rows(of, "/vault/entries"), (await journal(of))[0]],
      [[], ["revoked", null]]
    ]
  },
  "PUT /api/v1/me/webhook/events": async (world) => {
    const as = await agent(world)
    await ask(as, "PUT", "/me/webhook/events", { events: ["webhook.test"] })
    return [(await get(as, "/me/webhook"))["events"], ["webhook.test"]]
  },
  "POST /api/v1/me/webhook/secret": async (world) => {
    const as = await webhook(world)
    await ask(as, "POST", "/me/webhook/secret")
    return [(await get(as, "/me/webhook"))["old_secret_until"] === null, false]
  },
  "POST /api/v1/me/webhook/test": async (world) => {
    const as = await webhook(world)
    const { delivery_id } = await ask(as, "POST", "/me/webhook/test")
    return [(await rows(as, "/me/webhook/deliveries")).map((one) => one.id), [delivery_id]]
  },
  "POST /api/v1/me/webhook/deliveries/{id}/redeliver": async (world) => {
    world.receiver.behave(healthy)
    const as = await webhook(world)
    const { delivery_id } = await ask(as, "POST", "/me/webhook/test")
    const status = async () => (await rows(as, "/me/webhook/deliveries"))[0]?.["status"]
    await waitFor(async () => (await status()) === "delivered", { describe: "the delivery" })
    world.receiver.behave(dead)
    await ask(as, "POST", `/me/webhook/deliveries/${delivery_id}/redeliver`)
    return [await status(), "pending"]
  },
  "POST /api/v1/vault/service/key": async (world) => {
    const { of, ask } = await holding(world)
    const { ephemeral_public_key } = await oneTimeKey()
    await ask("POST", "/service/key", { ephemeral_public_key })
    return [(await journal(of))[0], ["key_loaded", null]]
  },
  "POST /api/v1/vault/service/fill": async (world) => {
    const held = await holding(world)
    await fill(held)
    return [(await journal(held.of))[0], ["fill", "pending"]]
  },
  "POST /api/v1/vault/service/fill/{id}/result": async (world) => {
    const held = await holding(world)
    const { fill_id } = await fill(held)
    await held.ask("POST", `/service/fill/${fill_id}/result`, { status: "done", filled: [] })
    const [first] = await rows(held.of, "/vault/entries")
    return [
      [(await journal(held.of))[0], first?.["uses"]],
      [["fill", "done"], 1]
    ]
  },
  "POST /api/v1/compartments": async (world) => {
    const as = await agent(world)
    const id = await compartment(as)
    return [(await rows(as, "/compartments")).map((one) => one.id), [id]]
  },
  "PATCH /api/v1/compartments/{id}": async (world) => {
    const as = await agent(world)
    const id = await compartment(as)
    await ask(as, "PATCH", `/compartments/${id}`, { command: "sleep 1" })
    return [(await rows(as, "/compartments")).map((one) => one["command"]), ["sleep 1"]]
  },
  "DELETE /api/v1/compartments/{id}": async (world) => {
    const as = await agent(world)
    const id = await compartment(as)
    const { name } = await get(as, `/compartments/${id}`)
    await ask(as, "DELETE", `/compartments/${id}`, { confirm: name })
    return [(await rows(as, "/compartments")).map((one) => one["status"]), ["deleting"]]
  },
  "POST /api/v1/compartments/{id}/stop": async (world) => {
    const as = await agent(world)
    const id = await running(world, as)
    await ask(as, "POST", `/compartments/${id}/stop`)
    return [(await rows(as, "/compartments")).map((one) => one["desired"]), ["stopped"]]
  },
  "POST /api/v1/compartments/{id}/start": async (world) => {
    const as = await agent(world)
    const id = await running(world, as)
    await stopped(world, as, id)
    await ask(as, "POST", `/compartments/${id}/start`)
    return [(await rows(as, "/compartments")).map((one) => one["desired"]), ["running"]]
  },
  "POST /api/v1/compartments/{id}/restart": async (world) => {
    const as = await agent(world)
    const id = await running(world, as)
    await ask(as, "POST", `/compartments/${id}/restart`)
    return [(await rows(as, "/compartments")).map((one) => one["status"]), ["stopping"]]
  }
}

const recovering = async (world: World): Promise<{ readonly as: Carried }> => {
  const [as, key, next] = [await agent(world), newIdentity(), newIdentity()]
  await ask(as, "PUT", "/me/recovery", recoveryBody(as.client.hubId, as.client.identity.publicKey, key))
  const by = new AgentClient({ edge: () => world.service.edges[0] ?? "", identity: key })
  const body = { agent: as.agent.handle, ...rotationBody(as.client.hubId, as.client.identity.publicKey, next) }
  dataOf(await by.call("POST", "/api/v1/recover", { body }))
  return { as }
}

/** What is read is marked as read. */
export const MARKING: Readonly<Record<string, Flow>> = {
  "GET /api/v1/me/owner/messages": async (world) => {
    const { as, owner } = await owned(world)
    await owner.write(as, freshText())
    const told = async () =>
      (await rows(as, "/me/notifications?unread=1")).filter((one) => one["type"] === "owner.message")
    await waitFor(async () => (await told()).length === 1, { describe: "the notification of the message" })
    await rows(as, "/me/owner/messages")
    return [
      [await told(), (await get(as, "/me/home"))["owner_messages"]],
      [[], 0]
    ]
  },
  "GET /api/v1/email/messages/{id}": async (world) => {
    const as = await agent(world)
    const { address: to } = await box(as)
    await deliver(world.service.system.mail?.port ?? 0, { to, raw: message({ to }) })
    await notified(as, 1)
    const [first] = await rows(as, "/email/messages")
    await get(as, `/email/messages/${first?.["message_id"]}`)
    return [await rows(as, "/email/messages?unread=1"), []]
  }
}

/** What has nothing that its writer could read at another edge, or is tried where its parts are there. */
export const NOTHING_TO_READ: Readonly<Record<string, string>> = {
  "POST /api/v1/register/challenge": "a challenge is answered whole and read by nobody",
  "POST /api/v1/register/challenge/{id}/questions": "questions are answered whole and read by nobody",
  "POST /api/v1/agents/{ref}/verify": "judges a signature; the challenge is used up, which tests/api/identity tries",
  "POST /api/v1/humans/me/verify-email": "sends a letter; nothing shows it",
  "POST /api/v1/email/inbound/ses": "is told by Amazon, which reads nothing",
  "PUT /api/v1/compartments/{id}/files": "files wait for a host; tests/runtime reads them there",
  "POST /api/v1/compartments/{id}/web-link": "the link is in the answer alone",
  "POST /api/v1/me/admission": "wants an agent of the runtime: tests/api/provisional.test.ts",
  "POST /api/v1/vault/captcha": "the same actor as POST /me/captcha, which its agent reads",
  "DELETE /api/v1/vault/captcha/{id}": "the same actor as DELETE /me/captcha/{id}",
  "POST /api/v1/vault/captcha/{id}/result": "the same actor as POST /me/captcha/{id}/result"
}
