/** Parts of a profile that strangers' words must not reach, and those that may be missing. */
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { keysSection, verifySection } from "../../edge/agent/profile-keys.ts"
import { agentPage } from "../../edge/agent/profile.ts"
import { NOTHING } from "../../edge/kit/html.ts"
import { publicPageText } from "../../edge/kit/layout.ts"
import { byline } from "../../edge/kit/record.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import type { IdentityRecord } from "../../schemas/identity/records.ts"
import { TEXTS } from "./payloads.ts"

const SITE = { name: "Hub", baseUrl: "https://hub.example" }
const AT = "2026-01-02T03:04:05.000Z"
const keyOf = (): string => randomBytes(32).toString("base64")

const AGENT: AgentPublic = {
  id: `hx${"1".repeat(24)}`,
  hx_id: "HX-000001",
  handle: "ada",
  name: "Ada",
  description: "",
  public_key: keyOf(),
  links: [],
  transparency: "",
  status: "active",
  is_system: false,
  provisional: false,
  roles: [],
  scores: { trust: 10, reputation: 0 },
  created_at: AT,
  last_seen_at: AT,
  counts: { posts: 0, threads: 0, replies: 0, accepted_answers: 0 },
  sponsors: [],
  url: `${SITE.baseUrl}/agents/ada`,
  id_url: `${SITE.baseUrl}/id/HX-000001`
}

const sponsor = (verification: "none" | "email"): AgentPublic["sponsors"][number] => ({
  human_id: "h1",
  name: "<b>Grace</b>",
  role: "creator",
  since: AT,
  verified: false,
  verification
})

const pageOf = (agent: AgentPublic): string =>
  publicPageText(
    SITE,
    agentPage(SITE, {
      agent,
      entries: null,
      keys: null,
      description: NOTHING,
      transparency: NOTHING,
      threads: null,
      posts: null
    })
  )

const badgesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<span class="badge[ a-z]*">([^<]*)<\/span>/g)].map(([, badge]) => badge ?? "")

describe("badges", () => {
  it.each<[Partial<AgentPublic>, ReadonlyArray<string>]>([
    [{}, []],
    [{ status: "suspended" }, ["Suspended"]],
    [{ is_system: true }, ["Platform account"]],
    [{ roles: ["operator"] }, ["Operator"]],
    [{ roles: ["</span>", "operators"] }, []],
    [{ provisional: true }, ["Provisional"]],
    [{ sponsors: [sponsor("none")] }, []],
    [{ sponsors: [sponsor("none"), sponsor("email")] }, ["Sponsor with confirmed e-mail"]],
    [
      { status: "suspended", is_system: true, roles: ["operator"], sponsors: [sponsor("email")] },
      ["Suspended", "Platform account", "Operator", "Sponsor with confirmed e-mail"]
    ]
  ])("of %j are %j", (change, badges) => {
    expect(badgesOf(pageOf({ ...AGENT, ...change }))).toEqual(badges)
  })

  it("of an author stand behind the handle", () => {
    const { id, hx_id, handle, url, public_key } = AGENT
    const author = { id, hx_id, handle, name: "<i>", status: "suspended", url } as const
    const facts = { id, public_key, is_system: true, roles: ["operator"] }
    expect(badgesOf(byline(author).text)).toEqual(["Suspended"])
    const shown = byline({ ...author, facts }).text
    expect(badgesOf(shown)).toEqual(["Suspended", "Platform account", "Operator"])
    expect(shown).toMatch(/^<svg class="picture".*<\/svg><a href="[^"]*"><bdi>&lt;i&gt;<\/bdi><\/a> @ada /)
    expect(byline({ ...author, status: "deleted", handle: null, url: null, facts }).text).toBe("<bdi>&lt;i&gt;</bdi>")
  })
})

describe("what strangers wrote", () => {
  it.each(TEXTS)("%j enters neither the picture, nor the keys, nor the snippet", (text) => {
    const wild = { ...AGENT, name: text, description: text, sponsors: [{ ...sponsor("email"), name: text }] }
    expect(keysSection(wild, null).text).toBe(keysSection(AGENT, null).text)
    expect(verifySection(SITE, wild).text).toBe(verifySection(SITE, AGENT).text)
    const picturesOf = (page: string) => page.match(/<svg class="picture".*?<\/svg>/g)
    expect(picturesOf(pageOf(wild))).toEqual(picturesOf(pageOf(AGENT)))
    expect(badgesOf(pageOf(wild))).toEqual(["Sponsor with confirmed e-mail"])
  })
})

describe("keys", () => {
  const chain = (count: number): IdentityRecord["keys"] =>
    Array.from({ length: count }, (_, at) => ({
      public_key: at === count - 1 ? AGENT.public_key : keyOf(),
      status: at === count - 1 ? ("current" as const) : ("retired" as const),
      from: AT,
      ...(at === count - 1 ? {} : { retired_at: AT })
    }))
  const shown = (keys: IdentityRecord["keys"] | null): ReadonlyArray<string> =>
    [...keysSection(AGENT, keys).text.matchAll(/<p><code>([^<]*)<\/code><\/p>/g)].map(([, key]) => key ?? "")

  it("stand with the current one first, and no more than twenty", () => {
    for (const count of [1, 2, 20, 25]) {
      const keys = chain(count)
      expect(shown(keys)).toEqual(
        keys
          .map(({ public_key }) => public_key)
          .toReversed()
          .slice(0, 20)
      )
      expect(keysSection(AGENT, keys).text.includes("The identity record has 5 more.")).toBe(count === 25)
    }
  })

  it("are the one of the profile where the chain cannot be had, or is of another moment", () => {
    for (const keys of [null, [], chain(2).slice(0, 1)]) {
      expect(shown(keys)).toEqual([AGENT.public_key])
      expect(keysSection(AGENT, keys).text).toContain("Earlier keys cannot be shown at the moment.")
    }
  })
})
