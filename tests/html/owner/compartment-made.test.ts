/**
 * A person makes a compartment: that two clicks make one, that nothing half-made is left whatever fails, and that its
 * agent is the person's from its first moment. Over real edges and actors, with a host that is played.
 */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PROGRAMS, programsFor } from "../../../edge/compartment/programs.ts"
import type { AgentPublic } from "../../../schemas/agent/records.ts"
import { FLEET_ID } from "../../../schemas/fleet/operations.ts"
import { keyPairOfSeed, parseSeed } from "../../../schemas/signing/seed.ts"
import { waitFor } from "../../harness/index.ts"
import { send } from "../../support/http.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, type TestOwner } from "../../support/owner.ts"
import { logOf } from "../../support/service.ts"
import { formsOf, noticeOf, problemsOf } from "./client.ts"
import { Compartments, madeBy, MANY, NEW, pathOf, steered, WANTED } from "./compartments.ts"

let all: Compartments
beforeAll(async () => {
  all = await Compartments.start()
})
afterAll(() => all?.stop())

/** As an edge would ask that does not look first. */
const DIRECT = { name: "x", command: "true", public_key: randomBytes(32).toString("base64"), hub_key: "box" }

/** Sponsorships that the account knows of, whatever became of them. */
const declaredBy = async ({ id }: TestOwner): Promise<number> =>
  (await logOf(all.service.view, "human", id))
    .flatMap(({ commit }) => commit.events)
    .filter(({ type }) => type === "human.declared").length

const profileOf = async (ref: string): Promise<AgentPublic> =>
  dataOf(await send({ edge: all.service.edges[0] ?? "", method: "GET", path: `/api/v1/agents/${ref}` }))

describe("one that a person makes", () => {
  it("comes with an agent that the person carries from its first moment, and whose key the host alone opens", async () => {
    const owner = await all.person()
    const id = await madeBy(owner, { ...WANTED, name: "first" })
    const { agent, environment, created_by, command } = await all.record(owner, id)
    expect([created_by, environment.HUB_KEY, command.endsWith("exec sleep infinity")]).toEqual([
      "human",
      "set, never shown",
      true
    ])
    // Already in the answer's own moment: nothing is waited for.
    const profile = await profileOf(agent)
    expect(profile).toMatchObject({ name: "first", id: agent })
    expect(profile.handle).toMatch(/^first-[b-z]{6}$/)
    expect(profile.sponsors).toMatchObject([{ human_id: owner.id, role: "creator", verification: "email" }])
    const { hub_key } = await all.desired(id)
    const seed = all.host.boxes.open(hub_key ?? "", id, "HUB_KEY")
    const { publicKey } = keyPairOfSeed(parseSeed(seed) ?? new Uint8Array(0))
    expect(Buffer.from(publicKey).toString("base64")).toBe(profile.public_key)
    const events = await logOf(all.service.view, "agent", agent)
    const everything =
      JSON.stringify([events, await logOf(all.service.view, "compartment", id)]) + all.service.system.logs.text()
    expect(everything).not.toContain(seed)
    // One commit, and no request that waits for the agent's word.
    const [first] = events
    expect(first?.commit.events.map(({ type }) => type)).toEqual([
      "agent.registered",
      "agent.score_changed",
      "agent.sponsorship_declared",
      "agent.sponsorship_confirmed"
    ])
    // Its creator counts once the agent has passed registration's questions.
    expect(profile).toMatchObject({ provisional: true, scores: { trust: 10 } })
    const page = await owner.client.get("/owner")
    expect(page.text).toContain(`href="${pathOf(id)}"`)
    const told = JSON.stringify(await logOf(all.service.view, "agent", agent))
    expect(told).not.toContain("sponsorship.requested")
  })

  it("is one, however often the form is sent", async () => {
    const owner = await all.person()
    const { fields } = await owner.client.form(NEW)
    const sent = () => owner.client.post(NEW, { ...fields, ...WANTED })
    const both = await Promise.all([sent(), sent()])
    both.push(await sent())
    const [location] = both.map(({ headers }) => headers.location)
    expect(both.map(({ status, headers }) => [status, headers.location])).toEqual(
      Array.from({ length: 3 }, () => [303, location])
    )
    expect((await all.places(owner)).total).toBe(1)
    const again = await owner.client.fill(NEW, { ...WANTED, name: "second" })
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("You have one already")])
    expect(await declaredBy(owner)).toBe(1)
  })

  it("is not made half: what fails leaves nothing, and the same form makes it once it can be made", async () => {
    const owner = await all.person()
    const { fields } = await owner.client.form(NEW)
    const sent = () => owner.client.post(NEW, { ...fields, ...WANTED, name: "halves" })
    const nothing = async () => {
      expect((await all.places(owner)).total).toBe(0)
      expect(await declaredBy(owner)).toBe(0)
    }
    all.host.givesKeys = false
    expect((await sent()).status).toBe(503)
    all.host.givesKeys = true
    await nothing()
    await all.host.report(0)
    const full = await sent()
    expect([full.status, full.text]).toEqual([409, expect.stringContaining("All places are taken")])
    await all.host.report(MANY)
    await nothing()
    expect((await sent()).status).toBe(303)
    expect((await all.places(owner)).total).toBe(1)
  })

  it("is made beside whatever else the account does, and not after its end", async () => {
    const owner = await all.person()
    const names = ["Ada", "Bea", "Cid", "Dan"]
    const [id] = await Promise.all([
      madeBy(owner),
      ...names.map((name) => all.service.view.command("human.rename", owner.id, { name }))
    ])
    expect([(await all.places(owner)).items.map(({ compartment }) => compartment), await declaredBy(owner)]).toEqual([
      [id],
      1
    ])
    const gone = await all.person()
    await gone.deleted()
    const input = { ...DIRECT, id: `cmp_${"1".repeat(20)}`, human: gone.id }
    await expect(all.service.view.command("fleet.create_for_human", FLEET_ID, input)).rejects.toThrow("human")
    expect((await all.places(gone)).total).toBe(0)
  })

  it.each([
    [{ name: "Quiet" }, "The name"],
    [{ program: "unheard-of" }, "Choose what it runs."],
    [{ accept_terms: "" }, "Nothing runs here without that."],
    [{ program: "own", command: "" }, "The command"],
    [{ program: "own", command: "x".repeat(4001) }, "The command"],
    [
      { program: "own", command: `export TOKEN=${["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_")}` },
      "looks like a secret"
    ]
  ])("is refused beside the field where %j is sent", async (more, problem) => {
    const answer = await person.client.fill(NEW, { ...WANTED, ...more })
    expect([answer.status, problemsOf(answer).join(" ")]).toEqual([422, expect.stringContaining(problem)])
  })

  let person: TestOwner
  beforeAll(async () => {
    person = await all.person()
  })

  it("is asked for no longer command than is taken, and offers nothing that waits for mail where there is none", async () => {
    const owner = await all.person()
    const page = await owner.client.get(NEW)
    expect(/<textarea [^>]*name="command"[^>]*maxlength="(\d+)"/.exec(page.text)?.[1]).toBe("4000")
    const offered = [...page.text.matchAll(/name="program" value="([^"]+)"/g)].map(([, value]) => value)
    expect(offered).toEqual(["polite-member", "empty-shell", "own"])
    expect(programsFor({ mail: true })).toEqual(PROGRAMS)
    const { fields } = await owner.client.form(NEW, NEW)
    const refused = await owner.client.post(NEW, { ...fields, ...WANTED, program: "mail-codes" })
    expect([refused.status, refused.text.includes("Choose what it runs.")]).toEqual([422, true])
  })

  it.each([...programsFor({ mail: false })])("may run %s", async (program) => {
    const owner = await all.person()
    const id = await madeBy(owner, { ...WANTED, program, name: program })
    expect((await all.record(owner, id)).command.length).toBeLessThanOrEqual(4000)
  })

  it("needs an address that is confirmed, whatever is sent", async () => {
    const owner = await newOwner(all.service.edges)
    const page = await owner.client.get(NEW)
    expect([page.status, formsOf(page.text).some(({ action }) => action === NEW)]).toEqual([200, false])
    expect(page.text).toContain("Your address has to be confirmed first")
    const { fields } = await owner.client.form("/owner", "/owner/logout")
    expect((await owner.client.post(NEW, { ...fields, ...WANTED })).status).toBe(403)
    const input = { ...DIRECT, id: `cmp_${"0".repeat(20)}`, human: owner.id }
    await expect(all.service.view.command("fleet.create_for_human", FLEET_ID, input)).rejects.toThrow("not confirmed")
  })

  it("is not made by a form of somebody else, or by none", async () => {
    const [owner, other] = [await all.person(), await all.person()]
    const { fields } = await other.client.form(NEW)
    expect((await owner.client.post(NEW, { ...fields, ...WANTED })).status).toBe(403)
    expect((await owner.client.post(NEW, WANTED)).status).toBe(403)
    expect((await all.places(owner)).total).toBe(0)
  })

  it("is started, stopped, started anew and deleted by who made it", async () => {
    const owner = await all.person()
    const id = await madeBy(owner)
    const acts = async () =>
      formsOf((await owner.client.get(pathOf(id))).text).flatMap(({ fields }) => fields["act"] ?? [])
    expect(await acts()).toEqual(["delete"])
    await all.runs(id)
    expect(await acts()).toEqual(["restart", "stop", "delete"])
    const stopped = await steered(owner, id, "stop")
    expect([stopped.status, noticeOf(await owner.client.follow(stopped))]).toEqual([303, "It is told to stop."])
    expect((await all.record(owner, id)).status).toBe("stopping")
    await all.stops(id)
    expect(await acts()).toEqual(["start", "delete"])
    expect((await steered(owner, id, "start")).status).toBe(303)
    await all.runs(id)
    expect((await steered(owner, id, "restart")).status).toBe(303)
    await all.stops(id)
    await all.runs(id)
    const wrong = await steered(owner, id, "delete", { confirm: "loud" })
    expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["That is not its name."]])
    const deleted = await steered(owner, id, "delete", { confirm: "quiet" })
    expect([deleted.status, deleted.headers.location]).toEqual([303, "/owner"])
    await all.host.tells(id, { type: "removed" })
    expect((await owner.client.get(pathOf(id))).status).toBe(404)
    await waitFor(async () => (await all.places(owner)).total === 0, { describe: "a place that is free again" })
  })

  it("goes with the account, and with nothing else of it", async () => {
    const owner = await all.person()
    const id = await madeBy(owner, { ...WANTED, name: "mortal" })
    const { agent } = await all.record(owner, id)
    await owner.deleted()
    await waitFor(async () => (await all.desired(id)).goal === "deleted", { describe: "a deletion" })
    await waitFor(async () => (await profileOf(agent)).sponsors.length === 0, { describe: "a sponsorship that ended" })
  })

  it("does not outlive the account, whichever of the two comes first", async () => {
    for (const name of ["one", "two", "three"]) {
      const owner = await all.person()
      const { fields } = await owner.client.form(NEW)
      await Promise.all([owner.client.post(NEW, { ...fields, ...WANTED, name }), owner.deleted()])
      await waitFor(
        async () => {
          const { items } = await all.places(owner)
          const goals = await Promise.all(items.map(({ compartment }) => all.desired(compartment)))
          const agents = await Promise.all(items.map(({ agent }) => profileOf(agent)))
          return goals.every(({ goal }) => goal === "deleted") && agents.every(({ sponsors }) => sponsors.length === 0)
        },
        { describe: "an end of all that the person had" }
      )
    }
  })
})
