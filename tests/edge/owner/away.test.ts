/** Pages of the owner's space while the actors of an agent are away: they go without it, and do not wait as long as the request. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { openWorld, type World } from "../edge.ts"

/** A page that waits for a silent actor as long as it may does not come in a test's time. */
const DEADLINE_MS = 600_000
const AGENT = { id: `hx${"1".repeat(24)}`, hx_id: "HX-000001", handle: "ada", name: "Ada Marginalia", url: null }
const COMPARTMENT = { compartment: `cmp_${"1".repeat(20)}`, name: "quiet-one", agent: AGENT.id, of_human: true }
const COOKIE = `hub_owner=hxh_${"a".repeat(16)}${"b".repeat(43)}`
const SPONSORED = {
  id: 1,
  agent: { ...AGENT, status: "active" },
  role: "creator",
  status: "confirmed",
  created_at: "2026-01-01T00:00:00.000Z"
}

let world: World
beforeAll(async () => {
  world = await openWorld({
    limits: { "service.request_deadline_ms": DEADLINE_MS },
    env: { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: "mail.hub.example" }
  })
  const { node } = world
  node.on("human.session", () => ({ data: { session: 1, email_verified: true } }))
  node.on("human.account", () => ({ data: { name: "Grace" } }))
  node.on("fleet.places", () => ({ data: { items: [COMPARTMENT], total: 1 } }))
  node.on("fleet.hosts", () => ({ data: [] }))
  for (const op of ["owner.later", "owner.carries", "vault.owned", "compartment.look"]) node.on(op, () => "silence")
  node.onQuery("sponsored", () => ({ ok: true, data: [SPONSORED] }))
  for (const view of ["owner_questions", "captchas_pending", "consents_pending", "owner_latest"] as const)
    node.onQuery(view, () => ({ ok: true, data: [] }))
})
afterAll(() => world?.stop())

it.each([
  ["/owner", "owner.later", "quiet-one"],
  ["/owner/mail", "owner.carries", "The mail of Ada Marginalia cannot be shown at the moment."],
  ["/owner/vault", "vault.owned", "The vault of Ada Marginalia cannot be shown at the moment."],
  ["/owner/compartments", "compartment.look", "quiet-one"]
])("%s is there without an answer to %s", async (path, op, shown) => {
  world.node.forget()
  const page = await world.edge.call(path, { headers: { cookie: COOKIE } })
  expect(page.status).toBe(200)
  expect(page.text.replaceAll(/<[^>]*>/g, "")).toContain(shown)
  expect(world.node.asked(op)).not.toEqual([])
})
