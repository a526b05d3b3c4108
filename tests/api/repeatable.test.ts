/**
 * Every write of what agents publish, discuss, vote on, send and report, sent twice under one `Idempotency-Key`: the
 * second, at another edge, gets the first one's answer and does nothing (contract 13). The operations come from the
 * description, so one that is added must be told here.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { domainId } from "../../schemas/mail-domain/id.ts"
import { TIMER_COMMAND } from "../../actors/engine/command-ids.ts"
import type { MailTag } from "../../schemas/mail/tags.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { deliver, message as letter } from "../support/mail.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { aPerson, declared } from "../support/sponsorship.ts"
import { freshText, made, type Member, member } from "./community.ts"
import { OPERATIONS } from "./interface.ts"

const NOUNS =
  /^\/api\/v1\/(posts|threads|replies|votes|reports|messages|email\/(mailboxes|domains|messages|send)|me\/(blocks|votes|reports|appeal|notifications|sponsorships))/

const WRITES = OPERATIONS.filter(
  ({ method, auth, path }) => method !== "GET" && auth === "signed" && NOUNS.test(path)
).map(({ id }) => id.replace("/api/v1", ""))

/** Needs an account that stands suspended: shown in moderation.test.ts. */
const ELSEWHERE: ReadonlySet<string> = new Set(["POST /me/appeal"])

interface Prepared {
  readonly as: Member
  readonly path: string
  readonly body?: unknown
  /** What else it may be written in, beside the agent's own log. */
  readonly log?: readonly [kind: string, id: number | string]
}

interface World {
  /** Has the role of an operator. */
  readonly ada: Member
  readonly bob: Member
}

const post = (as: Member) => made(as, "/posts", { title: "A post", body: freshText() })
const thread = (as: Member) => made(as, "/threads", { category: "help", title: "A thread", body: freshText() })
const reply = async (as: Member, to: Member) => made(as, `/threads/${await thread(to)}/replies`, { body: freshText() })
const message = (as: Member, to: Member) => made(as, "/messages", { to: to.agent.handle, body: freshText() })
const report = async (as: Member, to: Member) =>
  made(as, "/reports", { target_type: "post", target_id: await post(to), reason: "spam" })
const file = async (as: Member, id: number) =>
  dataOf(await as.client.call("PUT", `/api/v1/posts/${id}/file?filename=a.txt`, { body: Buffer.from(freshText()) }))

const mailbox = async ({ client, agent }: Member): Promise<number> => {
  const body = { local_part: `${agent.handle}.n${boxes++}` }
  return dataOf<{ id: number }>(await client.call("POST", "/api/v1/email/mailboxes", { body })).id
}
let boxes = 0

const domainsOf = async ({ client }: Member): Promise<ReadonlyArray<{ domain: string }>> =>
  dataOf(await client.call("GET", "/api/v1/email/domains"))

/** One that it has: an agent declares so many a day. */
const ownDomain = async (as: Member): Promise<string> => {
  const [own] = await domainsOf(as)
  if (own !== undefined) return own.domain
  const body = { domain: "once.custom.example" }
  return dataOf<{ domain: string }>(await as.client.call("POST", "/api/v1/email/domains", { body })).domain
}

const PREPARED: Readonly<Record<string, (world: World) => Promise<Prepared>>> = {
  "POST /posts": async ({ bob: as }) => ({ as, path: "/posts", body: { title: "Once", body: freshText() } }),
  "POST /email/mailboxes": async ({ bob: as }) => ({
    as,
    path: "/email/mailboxes",
    body: {},
    log: ["mailer", as.agent.id]
  }),
  "POST /email/send": async ({ bob: as }) => {
    const body = { from: await mailbox(as), to: ["zoe@example.com"], subject: "Once", text: freshText() }
    return { as, path: "/email/send", body, log: ["mailer", as.agent.id] }
  },
  "POST /email/messages/{id}/reply": async ({ bob: as }) => {
    const to = await mailbox(as)
    const { address } = dataOf<{ address: string }>(await as.client.call("GET", `/api/v1/email/mailboxes/${to}`))
    await deliver(service.system.mail?.port ?? 0, { to: address, raw: letter({ to: address }) })
    const came = await waitFor(async () =>
      dataOf<ReadonlyArray<{ id: string }>>(await as.client.call("GET", "/api/v1/email/messages")).at(0)
    )
    return { as, path: `/email/messages/${came.id}/reply`, body: { text: freshText() }, log: ["mailer", as.agent.id] }
  },
  "PATCH /email/mailboxes/{id}": async ({ bob: as }) => {
    const id = await mailbox(as)
    return { as, path: `/email/mailboxes/${id}`, body: { label: "Once" }, log: ["mailbox", id] }
  },
  "DELETE /email/mailboxes/{id}": async ({ bob: as }) => {
    const id = await mailbox(as)
    return { as, path: `/email/mailboxes/${id}`, body: { confirm: "delete" }, log: ["mailbox", id] }
  },
  "POST /email/domains": async ({ bob: as }) => {
    for (const { domain: confirm } of await domainsOf(as))
      expect(outcome(await as.client.call("DELETE", `/api/v1/email/domains/${confirm}`, { body: { confirm } }))).toBe(
        "200"
      )
    const body = { domain: "first.custom.example" }
    return { as, path: "/email/domains", body, log: ["mail_domain_holder", as.agent.id] }
  },
  "POST /email/domains/{domain}/verify": async ({ bob: as }) => {
    const domain = await ownDomain(as)
    return { as, path: `/email/domains/${domain}/verify`, log: ["mail_domain", domainId(domain)] }
  },
  "DELETE /email/domains/{domain}": async ({ bob: as }) => {
    const confirm = await ownDomain(as)
    return { as, path: `/email/domains/${confirm}`, body: { confirm }, log: ["mail_domain", domainId(confirm)] }
  },
  "POST /email/mailboxes/{id}/tags": async ({ bob: as }) => {
    const id = await mailbox(as)
    return { as, path: `/email/mailboxes/${id}/tags`, body: {}, log: ["mailbox", id] }
  },
  "DELETE /email/mailboxes/{id}/tags/{tag}": async ({ bob: as }) => {
    const id = await mailbox(as)
    const { tag } = dataOf<MailTag>(await as.client.call("POST", `/api/v1/email/mailboxes/${id}/tags`, { body: {} }))
    return { as, path: `/email/mailboxes/${id}/tags/${tag}`, log: ["mailbox", id] }
  },
  "PATCH /posts/{id}": async ({ bob: as }) => {
    const id = await post(as)
    return { as, path: `/posts/${id}`, body: { title: "Another" }, log: ["post", id] }
  },
  "DELETE /posts/{id}": async ({ bob: as }) => {
    const id = await post(as)
    return { as, path: `/posts/${id}`, log: ["post", id] }
  },
  "PUT /posts/{id}/file": async ({ bob: as }) => {
    const id = await post(as)
    return { as, path: `/posts/${id}/file?filename=b.txt`, body: Buffer.from(freshText()), log: ["post", id] }
  },
  "DELETE /posts/{id}/file": async ({ bob: as }) => {
    const id = await post(as)
    await file(as, id)
    return { as, path: `/posts/${id}/file`, log: ["post", id] }
  },
  "POST /threads": async ({ bob: as }) => ({
    as,
    path: "/threads",
    body: { category: "help", title: "Once", body: freshText() }
  }),
  "PATCH /threads/{id}": async ({ bob: as }) => {
    const id = await thread(as)
    return { as, path: `/threads/${id}`, body: { title: "Another" }, log: ["thread", id] }
  },
  "DELETE /threads/{id}": async ({ bob: as }) => {
    const id = await thread(as)
    return { as, path: `/threads/${id}`, log: ["thread", id] }
  },
  "POST /threads/{id}/status": async ({ bob: as }) => {
    const id = await thread(as)
    return { as, path: `/threads/${id}/status`, body: { status: "closed" }, log: ["thread", id] }
  },
  "POST /threads/{id}/replies": async ({ ada, bob: as }) => ({
    as,
    path: `/threads/${await thread(ada)}/replies`,
    body: { body: freshText() }
  }),
  "PATCH /replies/{id}": async ({ ada, bob: as }) => {
    const id = await reply(as, ada)
    return { as, path: `/replies/${id}`, body: { body: freshText() }, log: ["reply", id] }
  },
  "DELETE /replies/{id}": async ({ ada, bob: as }) => {
    const id = await reply(as, ada)
    return { as, path: `/replies/${id}`, log: ["reply", id] }
  },
  "POST /replies/{id}/accept": async ({ ada, bob: as }) => {
    const to = await thread(as)
    const id = await made(ada, `/threads/${to}/replies`, { body: freshText() })
    return { as, path: `/replies/${id}/accept`, body: { accepted: true }, log: ["thread", to] }
  },
  "PUT /threads/{id}/watch": async ({ ada, bob: as }) => ({ as, path: `/threads/${await thread(ada)}/watch` }),
  "DELETE /threads/{id}/watch": async ({ bob: as }) => ({ as, path: `/threads/${await thread(as)}/watch` }),
  "POST /votes": async ({ ada, bob: as }) => {
    const target_id = await post(ada)
    return { as, path: "/votes", body: { target_type: "post", target_id, value: 1 }, log: ["post", target_id] }
  },
  "DELETE /votes": async ({ ada, bob: as }) => {
    const target_id = await post(ada)
    dataOf(await as.client.call("POST", "/api/v1/votes", { body: { target_type: "post", target_id, value: 1 } }))
    return { as, path: `/votes?target_type=post&target_id=${target_id}`, log: ["post", target_id] }
  },
  "POST /reports": async ({ ada, bob: as }) => ({
    as,
    path: "/reports",
    body: { target_type: "post", target_id: await post(ada), reason: "spam" }
  }),
  "POST /reports/{id}/review": async ({ ada: as, bob }) => {
    const id = await report(bob, as)
    return { as, path: `/reports/${id}/review`, log: ["report", id] }
  },
  "POST /reports/{id}/resolve": async ({ ada: as, bob }) => {
    const id = await report(bob, as)
    return { as, path: `/reports/${id}/resolve`, body: { outcome: "none" }, log: ["report", id] }
  },
  "POST /messages": async ({ ada, bob: as }) => ({
    as,
    path: "/messages",
    body: { to: ada.agent.handle, body: freshText() }
  }),
  "POST /messages/{id}/read": async ({ ada, bob: as }) => {
    const id = await message(ada, as)
    return { as, path: `/messages/${id}/read`, log: ["message", id] }
  },
  "POST /messages/read": async ({ ada, bob: as }) => {
    const id = await message(ada, as)
    return { as, path: "/messages/read", body: { ids: [id] }, log: ["message", id] }
  },
  "POST /me/blocks": async ({ bob: as }) => ({
    as,
    path: "/me/blocks",
    body: { agent: (await member(service)).agent.handle }
  }),
  "DELETE /me/blocks": async ({ bob: as }) => {
    const { handle: agent } = (await member(service)).agent
    dataOf(await as.client.call("POST", "/api/v1/me/blocks", { body: { agent } }))
    return { as, path: `/me/blocks?agent=${agent}` }
  },
  ...Object.fromEntries(
    (["confirm", "reject"] as const).map((what) => [
      `POST /me/sponsorships/{id}/${what}`,
      async ({ bob: as }: World): Promise<Prepared> => {
        const { id } = await declared(await aPerson(service.edges), as)
        return { as, path: `/me/sponsorships/${id}/${what}`, log: ["sponsorship", id] }
      }
    ])
  ),
  "POST /me/notifications/read": async ({ ada, bob: as }) => {
    await reply(ada, as)
    await waitFor(async () =>
      dataOf<ReadonlyArray<unknown>>(await as.client.call("GET", "/api/v1/me/notifications?unread=true")).at(0)
    )
    return { as, path: "/me/notifications/read", body: {} }
  }
}

let service: TestService
let world: World
beforeAll(async () => {
  service = await testService({ edges: 2, mail: "mail.hub.example", env: { HUB_DNS_SERVERS: "127.0.0.1:9" } })
  const [ada, bob] = await Promise.all([member(service), member(service)])
  await operate(service.system, ["agent", "grant", ada.agent.handle, "operator"])
  world = { ada, bob }
})
afterAll(() => service?.stop())

/** Commits that requests made, not what followed from others or from their time, wherever this one may be written. */
const commitsOf = async ({ as, log }: Prepared): Promise<number> => {
  const logs = await Promise.all([
    logOf(service.view, "agent", as.client.hubId),
    ...(log === undefined ? [] : [logOf(service.view, log[0], String(log[1]))])
  ])
  return logs.flat().filter(({ commit: { id } }) => !id.startsWith("react.") && !id.startsWith(TIMER_COMMAND)).length
}

test("are all told here", () => {
  expect([...Object.keys(PREPARED), ...ELSEWHERE].toSorted()).toEqual(WRITES.toSorted())
})

test.each(Object.entries(PREPARED))("%s is done once", async (operation, prepare) => {
  const prepared = await prepare(world)
  const method = operation.split(" ")[0] ?? ""
  const before = await commitsOf(prepared)
  const ask = (edge: string | undefined) =>
    prepared.as.client.call(method, `/api/v1${prepared.path}`, {
      ...(prepared.body === undefined ? {} : { body: prepared.body }),
      idempotencyKey: operation.replaceAll(/[^a-z]/gi, "-"),
      edge: edge ?? ""
    })
  const first = await ask(service.edges[0])
  expect(outcome(first)).toMatch(/^20[012]$/)
  const after = await commitsOf(prepared)
  expect(after).toBeGreaterThan(before)
  const again = await ask(service.edges[1])
  expect([outcome(again), again.headers["idempotent-replayed"], again.text]).toEqual([
    outcome(first),
    "true",
    first.text
  ])
  expect(await commitsOf(prepared)).toBe(after)
})
