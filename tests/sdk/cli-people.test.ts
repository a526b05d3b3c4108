/** What agents say to people, and of them, by `hub-agent`: two agents, against the service itself. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, writtenBy } from "../support/owner.ts"
import { png } from "../support/pictures.ts"
import { aPerson, declare, declared } from "../support/sponsorship.ts"
import { agent, closeCliService, edge, folder, openCliService } from "./support/cli-agents.ts"

type Agent = Awaited<ReturnType<typeof agent>>

let ada: Agent
let bob: Agent

beforeAll(async () => {
  await openCliService()
  ada = await agent()
  bob = await agent()
})
afterAll(closeCliService)

const words = async (one: Agent, args: ReadonlyArray<string>): Promise<string> => {
  const { status, out, errors } = await one.run(args)
  expect([status, errors]).toEqual([0, ""])
  return out
}

test("people who say that they carry an agent are listed, confirmed and rejected", async () => {
  expect(await words(ada, ["sponsorships"])).toBe("nothing (0 in all)\n")
  const edges = [edge]
  const grace = await aPerson(edges, { name: "Grace Hopper" })
  const first = dataOf<{ id: number }>(await declare(grace, ada.me.handle)).id
  expect(await words(ada, ["sponsorships"])).toMatch(
    new RegExp(
      `\\n${first} +pending +guarantor +none +\\S+Z +Grace Hopper \\(${grace.id}\\)\\npage 1 of 1, 1 in all\\n` +
        `After "confirm ${first}" this person may: read mail subjects and codes, .*, answer messages, withdraw\\n$`
    )
  )
  expect(await words(ada, ["confirm", String(first)])).toBe(`sponsorship ${first} by Grace Hopper is confirmed\n`)
  expect(JSON.parse(await words(ada, ["reject", String(first), "--json"]))).toMatchObject({
    id: first,
    status: "revoked"
  })
  expect(await ada.run(["confirm", String(first)])).toMatchObject({
    status: 1,
    errors: expect.stringContaining("sponsorship_not_pending")
  })
  expect(await ada.run(["confirm", "all"])).toMatchObject({ status: 2 })
})

test("people who carry an agent are asked and waited for, and what they say is printed", async () => {
  const owner = await newOwner([edge])
  const carried = { agent: bob.me }
  expect(await bob.run(["ask-owner", "Anybody?"])).toMatchObject({
    status: 1,
    errors: expect.stringContaining("owner_none")
  })
  const { id } = await declared(owner.person, carried)
  await words(bob, ["confirm", String(id)])
  await waitFor(async () => (await owner.client.get(owner.page(carried))).status === 200)
  const asked = bob.run(["ask-owner", "Go on?", "--option", "Yes, go on", "--option", "No", "--wait", "60"])
  const message = await writtenBy(owner, carried, "Go on?")
  await owner.write(carried, "By the way")
  await owner.press(carried, message, "Yes, go on")
  expect(await asked).toMatchObject({ status: 0, out: "Yes, go on\n" })
  const told = await words(bob, ["ask-owner", "The disk is full.", "--kind", "alert"])
  expect(told).toMatch(new RegExp(`^message \\d+ to your owners\\n  ${owner.id}: not_linked\\n$`))
  expect(await bob.run(["ask-owner", "Still there?", "--wait", "1"])).toMatchObject({
    status: 1,
    out: "",
    errors: expect.stringContaining("no answer to message")
  })
  const list = await words(bob, ["owner-messages"])
  expect(list).toContain(`in reply to ${message}`)
  expect(list).toContain("  │ By the way\n")
  expect(await bob.run(["ask-owner", "x", "--wait", "long"])).toMatchObject({ status: 2 })
  expect(await bob.run(["ask-owner", "x", "--kind", "whim"])).toMatchObject({ status: 2 })
})

test("a captcha is shown to the people who carry the agent, waited for, and told how it went", async () => {
  const cleo = await agent()
  const image = join(folder, "captcha.png")
  await writeFile(image, await png())
  const show = ["captcha", image, "--kind"]
  expect(await cleo.run([...show, "text"])).toMatchObject({
    status: 1,
    errors: expect.stringContaining("captcha_needs_human")
  })
  const owner = await newOwner([edge])
  const { id: sponsorship } = await declared(owner.person, { agent: cleo.me })
  await words(cleo, ["confirm", String(sponsorship)])
  await waitFor(async () => (await owner.client.get(owner.page({ agent: cleo.me }))).status === 200)
  const seen = new Set<string>()
  const shown = (): Promise<string> =>
    waitFor(
      async () => {
        const pages = [...(await owner.client.get("/owner")).text.matchAll(/href="(\/owner\/captcha\/\d+)"/g)]
        const page = pages.map(([, path = ""]) => path).find((path) => !seen.has(path))
        if (page !== undefined) seen.add(page)
        return page ?? null
      },
      { describe: "the captcha at its owner's" }
    )

  const asked = cleo.run([...show, "text", "--context", "Sign-up", "--origin", "https://forum.example"])
  const page = await shown()
  expect((await owner.client.get(page)).text).toContain("https://forum.example")
  expect((await owner.client.fill(page, { text: "XK7" })).status).toBe(303)
  const id = page.split("/").at(-1) ?? ""
  expect(await asked).toEqual({ status: 0, out: '{"text":"XK7"}\n', errors: `captcha ${id} is with your owners\n` })
  expect(await words(cleo, ["captcha", "result", id, "solved"])).toBe(`captcha ${id} is solved\n`)
  expect(await cleo.run(["captcha", "result", id, "failed"])).toMatchObject({
    status: 1,
    errors: expect.stringContaining("captcha_not_answered")
  })

  const tapping = cleo.run([...show, "checkbox", "--wait", "60", "--json"])
  expect((await owner.client.fill(await shown(), { "tap.x": "150", "tap.y": "75" })).status).toBe(303)
  expect(JSON.parse((await tapping).out)).toMatchObject({
    state: "answered",
    answer: { checked: true, taps: [{ x: 0.5, y: 0.5 }] }
  })

  const given = cleo.run([...show, "taps", "--wait", "60"])
  const taken = (await shown()).split("/").at(-1) ?? ""
  await words(cleo, ["call", "delete", `/me/captcha/${taken}`])
  expect(await given).toMatchObject({ status: 1, out: "", errors: expect.stringContaining("captcha_cancelled") })

  expect(await cleo.run([...show, "taps", "--wait", "1"])).toMatchObject({
    status: 1,
    out: "",
    errors: expect.stringContaining("captcha_pending")
  })
  expect(JSON.parse(await words(cleo, [...show, "taps", "--wait", "0", "--json"]))).toMatchObject({ state: "pending" })
  await writeFile(image, "no picture")
  for (const [args, status, says] of [
    [[...show, "text"], 1, "captcha_image_unsuitable"],
    [[...show, "whim"], 2, "--kind takes one of text, checkbox, taps"],
    [["captcha", image], 2, "--kind"],
    [[...show, "text", "--wait", "601"], 2, "--wait takes seconds, 600 at most"],
    [["captcha", join(folder, "none.png"), "--kind", "text"], 1, "file_unreadable"],
    [["captcha", "result", id, "maybe"], 2, "solved|failed, not maybe"]
  ] as const)
    expect(await cleo.run(args)).toMatchObject({ status, out: "", errors: expect.stringContaining(says) })
})
