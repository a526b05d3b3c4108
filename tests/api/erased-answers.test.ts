/** What an Idempotency-Key gives again holds nothing that goes with a person's account (contract 13, 20). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import type { AgentSponsorship } from "../../schemas/sponsorship/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf } from "../support/owner.ts"
import { png } from "../support/pictures.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { anAgent, declared } from "../support/sponsorship.ts"

const SAID = "planted words of a person"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

const newest = <A>({ agent }: OwnerOf, path: string): Promise<A> =>
  waitFor(async () => dataOf<ReadonlyArray<A>>(await agent.client.call("GET", path))[0])

it("an owner's words, answers and name: heard once, and not again", async () => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const { agent, owner } = pair
  const send = <A>(path: string, body: object | undefined) =>
    agent.client.call("POST", path, { body, idempotencyKey: "once" }).then((answer) => dataOf<A>(answer))

  const question = { text: "Well?", kind: "question", wait_seconds: 25 }
  const asking = send<OwnerMessage>("/api/v1/me/owner/message", question)
  const { id } = await newest<OwnerMessage>(pair, "/api/v1/me/owner/messages")
  await owner.answer(agent, id, SAID)
  expect((await asking).answer?.text).toBe(SAID)

  const picture = { image_base64: (await png(120, 60)).toString("base64"), kind: "text", wait_seconds: 25 }
  const solving = send<Captcha>("/api/v1/me/captcha", picture)
  const page = await waitFor(async () => /\/owner\/captcha\/\d+/.exec((await owner.client.get("/owner")).text)?.[0])
  expect((await owner.client.fill(page ?? "", { text: SAID }, page ?? "")).status).toBe(303)
  const solved = await solving
  expect(solved.answer).toEqual({ text: SAID })

  const other = await anAgent(service.edges)
  const confirm = `/api/v1/me/sponsorships/${(await declared(owner.person, other)).id}/confirm`
  const confirming = () => other.client.call("POST", confirm, { idempotencyKey: "once" })
  expect(dataOf<AgentSponsorship>(await confirming()).human).toMatchObject({ id: owner.id, name: owner.person.name })

  await owner.deleted()
  const again = await send<OwnerMessage>("/api/v1/me/owner/message", question)
  expect(again).toMatchObject({ id, text: question.text, answer: null })
  expect(await send<Captcha>("/api/v1/me/captcha", picture)).toMatchObject({ id: solved.id, answer: null })
  expect(dataOf<AgentSponsorship>(await confirming()).human).toMatchObject({ id: owner.id, name: null })
})
