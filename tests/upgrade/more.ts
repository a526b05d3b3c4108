/**
 * What happens in a service beside the writes that its interface has (tests/api/writes.ts): operators, owners at their
 * pages, in a chat and in a browser, hosts that fail, mail that comes back, receivers that are down, timers that pass.
 */
import { randomBytes } from "node:crypto"
import { TOTP } from "otpauth"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { waitFor } from "../harness/index.ts"
import { fieldsOn, SETTINGS, wantedOn } from "../html/owner/passkeys.ts"
import { formsOf, OwnerClient } from "../html/owner/client.ts"
import { freshText, made } from "../api/community.ts"
import { answersOf, Applicant } from "../api/steps.ts"
import type { World } from "../api/writes.ts"
import { Authenticator } from "../support/authenticator.ts"
import { captchaBody } from "../support/captcha.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { newIdentity } from "../support/identity.ts"
import type { MailHost } from "../support/mail-host.ts"
import { deliver, message } from "../support/mail.ts"
import { tokensTo } from "../support/outbox.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, ownedBy, provenOwner, writtenBy } from "../support/owner.ts"
import { PlayedHost } from "../support/played-host.ts"
import { answering, healthy, startReceiver } from "../support/receiver.ts"
import type { PushService } from "../support/push-service.ts"
import { admit, freshHandle } from "../support/register.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"
import type { Telegram } from "../support/telegram.ts"
import { sealedEntry, VAULT } from "../support/vault.ts"
import { FILL, login, ownedVault, written } from "../support/vault-owner.ts"

export interface WiderWorld extends World {
  readonly telegram: Telegram
  readonly mailHost: MailHost
  readonly push: PushService
}

type Flow = (world: WiderWorld) => Promise<unknown>

const agent = ({ service }: WiderWorld): Promise<Carried> => anAgent(service.edges)
const ask = async <A = { readonly id: number }>(
  { client }: Pick<Carried, "client">,
  method: string,
  path: string,
  body?: unknown
): Promise<A> => dataOf<A>(await client.call(method, `/api/v1${path}`, body === undefined ? {} : { body }))
const operator = ({ service }: WiderWorld, ...words: ReadonlyArray<string>): Promise<string> =>
  operate(service.system, words)
const post = (as: Carried): Promise<number> => made(as, "/posts", { title: freshText(), body: freshText() })
const thread = (as: Carried): Promise<number> =>
  made(as, "/threads", { category: "help", title: freshText(), body: freshText() })
const reply = (as: Carried, to: number): Promise<number> => made(as, `/threads/${to}/replies`, { body: freshText() })
const vote = (as: Carried, target_type: string, target_id: number) =>
  ask(as, "POST", "/votes", { target_type, target_id, value: 1 })
const toldOf = (as: Carried, type: string) =>
  waitFor(
    async () =>
      (await ask<ReadonlyArray<{ type: string }>>(as, "GET", "/me/notifications")).some((one) => one.type === type),
    { describe: `a notification of ${type}` }
  )

const compartment = async (world: WiderWorld, as: Carried) => {
  const name = `m-${randomBytes(4).toString("hex")}`
  const { id } = await ask<{ id: string }>(as, "POST", "/compartments", {
    name,
    command: "sleep 600",
    accept_terms: true
  })
  const run = async () => {
    const orders = await world.service.view.command("compartment.desired", id, { host: world.host.id })
    return orders.run
  }
  const tells = (told: object) => world.host.tells(id, { at: Date.now(), ...told } as never)
  const runs = async () => tells({ type: "running", run: await run() })
  return { id, name, run, tells, runs }
}

/** A mailbox, and what comes into it. */
const mailbox = async (world: WiderWorld, as: Carried) => {
  const { id, address: to } = await ask<{ id: number; address: string }>(as, "POST", "/email/mailboxes", {})
  const comes = (from: string, port = world.service.system.mail?.port ?? 0) =>
    deliver(port, { from, to, raw: message({ from, to }) })
  const sends = (...to: ReadonlyArray<string>) =>
    ask(as, "POST", "/email/send", { from: id, to, subject: "Hello", text: "Hi." })
  return { id, comes, sends }
}

const secretOn = (text: string): string => /<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1]?.replaceAll(" ", "") ?? ""

const linked = async ({ telegram }: WiderWorld, owner: OwnerClient, chat: number): Promise<void> => {
  const { text } = await owner.change("offer_chat", {})
  telegram.write(chat, `/start ${/<code>\/start ([\w-]+)<\/code>/.exec(text)?.[1] ?? ""}`)
  await telegram.heard(chat, "This chat is linked.")
}

/** Of a code of an app. */
const STEP_MS = 30_000

let chats = 4_815_162_342_001

export const MORE: Readonly<Record<string, Flow>> = {
  "an agent is suspended and reinstated": async (world) => {
    const { agent: one } = await agent(world)
    await operator(world, "agent", "suspend", one.handle, "--reason", "for a test")
    await operator(world, "agent", "reinstate", one.handle, "--reason", "for a test")
    await operator(world, "agent", "system", one.handle, "on")
  },
  "an appeal is granted": async (world) => {
    const as = await agent(world)
    await operator(world, "agent", "suspend", as.agent.handle, "--reason", "for a test")
    await ask(as, "POST", "/me/appeal", { text: "This was a mistake." })
    await operator(world, "agent", "appeal", as.agent.handle, "grant", "--answer", "It was.")
  },
  "an agent that has voted is banned": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    await vote(as, "post", await post(other))
    await operator(world, "agent", "ban", as.agent.handle, "--reason", "for a test")
  },
  "the operator sees to what was written": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const [one, of] = [await post(as), await thread(as)]
    const answered = await reply(other, of)
    await vote(as, "reply", answered)
    const written = { post: one, reply: answered, thread: of }
    for (const [noun, id] of Object.entries(written)) {
      await operator(world, noun, "hide", String(id), "--reason", "look")
      await operator(world, noun, "restore", String(id))
    }
    await operator(world, "thread", "pin", String(of))
  },
  "the operator sees to lists": async (world) => {
    await operator(world, "category", "define", "short-lived", "--name", "Short-lived")
    await operator(world, "category", "remove", "short-lived")
    await operator(world, "library", "import", STARTER_LIBRARY)
    const [first] = JSON.parse(await operator(world, "library", "list")) as ReadonlyArray<{ readonly slug: string }>
    await operator(world, "library", "remove", first?.slug ?? "")
    await operator(world, "roadmap", "add", "--title", "More of it")
    await operator(world, "roadmap", "add", "--title", "Less of it")
    await operator(world, "roadmap", "remove", "2")
  },
  "a watched thread goes on": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const of = await thread(other)
    await ask(as, "PUT", `/threads/${of}/watch`)
    await reply(other, of)
    await toldOf(as, "thread.activity")
    await ask(as, "POST", "/me/notifications/read", {})
    await ask(as, "GET", `/threads/${of}`)
  },
  "questions are answered late, and wrongly": async ({ service }) => {
    const one = new Applicant(service.edges[0] ?? "", "198.51.100.7")
    const challenge = await one.challenge()
    await one.serve(challenge)
    const right = await answersOf(service.view, challenge.id)
    const wrong = Object.fromEntries(Object.keys(right).map((name) => [name, "wrong"]))
    await one.stepThree({ challenge_id: challenge.id, handle: freshHandle(), name: "Ada", answers: wrong })
    const again = new Applicant(service.edges[0] ?? "", "198.51.100.8")
    const second = await again.challenge()
    await again.serve(second)
    const answers = await answersOf(service.view, second.id)
    dataOf(await again.stepThree({ challenge_id: second.id, handle: freshHandle(), name: "Ada", answers }))
  },
  "an agent of the runtime passes the door": async ({ service }) => {
    const identity = newIdentity()
    const { id: human } = await provenOwner(service)
    const id = `cmp_${randomBytes(10).toString("hex")}`
    const input = { id, human, name: "one", command: "true", public_key: identity.publicKey, hub_key: "box" }
    await service.view.command("fleet.create_for_human", FLEET_ID, input)
    const client = new AgentClient({ identity, edge: () => service.edges[0] ?? "" })
    dataOf(await admit(client, service.edges[0] ?? ""))
  },
  "an owner changes the account": async ({ service }) => {
    const { client: owner } = await newOwner(service.edges)
    const { password } = owner
    await owner.change("rename", { name: "Countess" })
    await owner.change("offer_two_step", { password })
    const totp = new TOTP({ secret: secretOn((await owner.get(SETTINGS)).text) })
    const shown = await owner.change("enable_two_step", { code: totp.generate() })
    const [, code = ""] = /<li><code>([^<]+)<\/code>/.exec(shown.text) ?? []
    const { email } = owner
    const next = totp.generate({ timestamp: Date.now() + STEP_MS })
    for (const given of [code, next]) await owner.another().fill("/owner/login", { email, password, code: given })
    await owner.change("renew_codes", { password })
    await owner.change("disable_two_step", { password })
    await owner.change("change_password", { password, changed: "another one by far" })
  },
  "an owner comes in by a passkey": async ({ service }) => {
    const { client: owner } = await newOwner(service.edges)
    const key = new Authenticator(service.system.url)
    const added = "/owner/settings/passkey"
    const page = await owner.change("offer_passkey", { label: "My phone", password: owner.password })
    await owner.post(added, { ...fieldsOn(page, added), answer: key.create(wantedOn(page)) })
    const other = owner.another()
    const entering = "/owner/login/passkey"
    const door = await other.get(entering)
    await other.post(entering, { ...fieldsOn(door, entering), answer: key.get(wantedOn(door)) })
    await owner.change("remove_passkey", { password: owner.password })
  },
  "a forgotten password": async ({ service }) => {
    const { client: owner } = await provenOwner(service)
    await owner.another().fill("/owner/forgot", { email: owner.email })
    const [token = ""] = await tokensTo(service, owner.email, "/owner/forgot")
    await owner.another().fill(`/owner/forgot?token=${token}`, { password: "quite another of theirs" }, "/owner/forgot")
  },
  "an owner is asked and answers": async ({ service }) => {
    const { agent: as, owner } = await ownedBy(service.edges, await provenOwner(service))
    await owner.client.change("choose_relay", { "email:owner.asked": "on" })
    const text = freshText()
    await ask(as, "POST", "/me/owner/message", { text, kind: "question" })
    await owner.answer(as, await writtenBy(owner, as, text), "Yes.")
    // More than letters may tell of at once.
    for (let count = 0; count < 3; count++)
      await ask(as, "POST", "/me/owner/message", { text: freshText(), kind: "question" })
  },
  "an owner is told in a chat": async (world) => {
    const { agent: as, owner } = await ownedBy(world.service.edges, await newOwner(world.service.edges))
    const chat = chats++
    await linked(world, owner.client, chat)
    const text = freshText()
    await ask(as, "POST", "/me/owner/message", { text, kind: "question" })
    await world.telegram.heard(chat, text)
    await made(await agent(world), "/messages", { to: as.agent.handle, body: freshText() })
    await world.telegram.heard(chat, "News of")
    await owner.client.change("unlink_chat", {})
  },
  "an owner is told in a browser": async ({ service, push }) => {
    const { agent: as, owner } = await ownedBy(service.edges, await newOwner(service.edges))
    const browser = push.browser()
    const { text } = await owner.client.change("offer_push", {})
    const form = formsOf(text).find(({ fields }) => fields["action"] === "subscribe_push")
    await owner.client.post(SETTINGS, { ...form?.fields, ...browser.fields })
    const question = freshText()
    await ask(as, "POST", "/me/owner/message", { text: question, kind: "question" })
    await browser.told(question)
    await owner.client.fill(SETTINGS, {}, SETTINGS, { action: "end_push" })
  },
  "owners allow fills, and decline them": async ({ service }) => {
    const of = await ownedVault(service)
    const page = of.owner.page(of)
    for (const act of ["allow", "decline"]) {
      const { fill_id } = dataOf<{ fill_id: number }>(await of.ask("POST", FILL, login(await written(of))))
      await of.owner.client.fill(page, { act }, `${page}/consents`, { fill: String(fill_id) })
    }
    const entry = await written(of, {}, null)
    await of.ask("POST", FILL, { ...login(entry), origin: "https://elsewhere.example" })
    const { fill_id } = dataOf<{ fill_id: number }>(await of.ask("POST", FILL, login(entry)))
    dataOf(await of.ask("POST", `${VAULT}/captcha`, { ...(await captchaBody()), fill_id, round: 1 }))
    await ask(
      of,
      "POST",
      "/vault/entries",
      await sealedEntry(of, { kind: "card", fields: { number: "4111111111111111" } })
    )
  },
  "programs fail": async (world) => {
    const [as, other] = [await agent(world), await agent(world)]
    const failing = await compartment(world, as)
    await failing.tells({ type: "failed", run: await failing.run(), error: "no image", lasting: true })
    const name = `${failing.name}-2`
    await ask(as, "PATCH", `/compartments/${failing.id}`, { name })
    await ask(as, "DELETE", `/compartments/${failing.id}`, { confirm: name })
    await failing.tells({ type: "removed" })
    const restless = await compartment(world, other)
    await restless.runs()
    await restless.tells({ type: "exited", run: await restless.run(), exit_code: 1, oom_killed: false, why: "program" })
    await operator(world, "compartment", "suspend", restless.id, "--reason", "look")
    await operator(world, "compartment", "lift", restless.id)
    await operator(world, "agent", "suspend", other.agent.handle)
  },
  "a host is given up": async (world) => {
    const second = await PlayedHost.start(world.service, 1000)
    try {
      await compartment(world, await agent(world))
      second.stop()
      await operator(world, "host", "forget", second.id)
    } finally {
      second.stop()
    }
  },
  "mail that rules keep out, and mail that comes back": async (world) => {
    const as = await agent(world)
    const box = await mailbox(world, as)
    await ask(as, "PATCH", `/email/mailboxes/${box.id}`, { rules: { block_senders: ["spam.example"] } })
    await box.comes("a@spam.example")
    world.mailHost.refuses.set("later", { at: "rcpt", code: 450, says: "4.2.1 later" })
    await box.sends("later@world.example")
    for (const name of ["gone-1", "gone-2", "gone-3"]) {
      world.mailHost.refuses.set(name, { at: "rcpt", code: 550, says: "5.1.1 nobody of that name" })
      await box.sends(`${name}@world.example`)
    }
    await toldOf(as, "email.sending_suspended")
    await operator(world, "mail", "reinstate", as.agent.handle)
    await operator(world, "mail", "lift", "gone-1@world.example")
    await box.sends("list@world.example", "other@world.example")
    const taken = await waitFor(() => world.mailHost.to("list@world.example")[0], { describe: "mail at the host" })
    const [, unsubscribe = ""] = /List-Unsubscribe:\s+<mailto:([^>]+)>/.exec(taken.raw) ?? []
    const port = world.service.system.mail?.port ?? 0
    await deliver(port, { from: "list@world.example", to: unsubscribe, raw: "Subject: no\r\n\r\n" })
  },
  "a receiver is down, and comes back": async ({ service }) => {
    const receiver = await startReceiver({ behaviour: answering(500) })
    try {
      for (const comesBack of [true, false]) {
        const as = await anAgent(service.edges)
        await ask(as, "PATCH", "/me", { webhook_url: `${receiver.url}/in` })
        receiver.behave(answering(500))
        await ask(as, "POST", "/me/webhook/test")
        const webhook = () =>
          ask<{ failing_since: string | null; disabled_at: string | null }>(as, "GET", "/me/webhook")
        await waitFor(async () => (await webhook()).failing_since !== null, { describe: "failures" })
        if (comesBack) receiver.behave(healthy)
        await waitFor(
          async () => {
            const { failing_since, disabled_at } = await webhook()
            return comesBack ? failing_since === null : disabled_at !== null
          },
          { describe: "the webhook to settle" }
        )
      }
    } finally {
      await receiver.stop()
    }
  },
  "a person becomes an operator, and is one no more": async (world) => {
    const { person } = await newOwner(world.service.edges)
    await operator(world, "human", "grant", person.email, "operator")
    await operator(world, "human", "revoke", person.email, "operator")
  },
  "a webhook is paused by an operator, and resumed": async (world) => {
    const { id } = (await agent(world)).agent
    await operator(world, "webhook", "pause", id, "--why", "its receiver moves")
    await operator(world, "webhook", "resume", id, "--why", "it has moved")
  },
  "a web link of a compartment is opened, and files wait for it": async (world) => {
    const as = await agent(world)
    const one = await compartment(world, as)
    await one.runs()
    const { url } = await ask<{ url: string }>(as, "POST", `/compartments/${one.id}/web-link`)
    await new OwnerClient(() => world.service.edges[0] ?? "").fill(new URL(url).pathname, {})
  }
}
