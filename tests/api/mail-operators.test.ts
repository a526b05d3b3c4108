/** Mail of a service and of agents that do badly, and what an operator does about it (spec 3.6; contract 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ListedSent } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { told } from "../support/sponsorship.ts"
import { aSender, closeSending, openSending, send, service, settled, stranger, world } from "./sending.ts"

beforeAll(() => openSending({ "limits.email.pause_recipients_min": 3, "limits.email.bounce_suspension_min": 2 }))
afterAll(closeSending)

const hub = (...args: ReadonlyArray<string>): Promise<string> => operate(service.system, ["mail", ...args])

const figures = async (): Promise<{ readonly bounced: number }> => JSON.parse(await hub("status", "--json"))

/** Nobody has it. */
const nobody = (): string => {
  const to = stranger()
  world.refuses.set(to.slice(0, to.indexOf("@")), { at: "rcpt", code: 550, says: "5.1.1 nobody" })
  return to
}

test("an agent is suspended and reinstated; the service is paused and resumed; an address is let go", async () => {
  const [ada, bob, carl] = [await aSender(), await aSender(), await aSender()]
  const [first, second] = [nobody(), nobody()]
  expect(await hub("status")).toContain("mail is sent")
  for (const to of [first, second]) expect(dataOf<ListedSent>(await send(ada, { to: [to] })).status).toBe("bounced")
  expect((await told(ada, "email.sending_suspended")).payload).toMatchObject({ bounces: 2, bounce_rate: 1 })
  const to = [stranger()]
  expect(outcome(await send(ada, { to }))).toBe("403 email_sending_suspended")
  expect(await hub("reinstate", ada.agent.handle)).toContain("may send again")
  expect(await hub("reinstate", ada.agent.handle)).toContain("was not suspended")
  expect((await send(ada, { to })).status).toBe(202)

  const replay = (...words: ReadonlyArray<string>): Promise<string> => operate(service.system, ["replay", ...words])
  expect(await replay("mailer", ada.agent.handle)).toContain("mailer.suspended")
  const { message_id, from } = dataOf<ListedSent>(await send(ada, { to }))
  for (const [kind, name] of [
    ["mail", message_id],
    ["mail_sending", `${message_id}-1`],
    ["mailbox", from.address],
    ["mail_address", from.address]
  ] as const)
    expect(await replay(kind, name)).toContain(`${kind} `)
  await expect(replay("mailbox", `nobody.${from.address}`)).rejects.toThrow(/no mailbox is open/)

  // What ada had done has left the service's figures; bob alone pauses nobody.
  const [third, fourth] = [nobody(), nobody()]
  await send(bob, { to: [third] })
  await waitFor(async () => ((await figures()).bounced === 1 ? true : null))
  expect(await figures()).toMatchObject({ paused_at: null, recipients: 3, complained: 0 })
  expect((await send(carl, { to: [carl.mailbox.address] })).status).toBe(202)
  expect(await figures()).toMatchObject({ paused_at: null, recipients: 3 })
  await send(carl, { to: [fourth] })
  const paused = await waitFor(async () => {
    const answer = await send(bob, { to })
    return answer.status === 503 ? answer : null
  })
  expect(outcome(paused)).toBe("503 email_paused")
  expect(paused.headers["retry-after"]).toBe("3600")
  expect(await hub("status")).toContain("mail is not sent since")
  expect(await hub("resume")).toContain("mail is sent again")
  expect(await hub("resume")).toContain("was not paused")
  expect((await send(bob, { to })).status).toBe(202)

  const listed = await waitFor(async () => {
    const text = await hub("suppressions")
    return [first, second, third, fourth].every((one) => text.includes(one)) ? text : null
  })
  expect(listed).toContain("4 addresses")
  expect(await hub("lift", first.toUpperCase())).toContain("may be written to again")
  await expect(hub("lift", first)).rejects.toThrow(/suppressed address/)
  expect(JSON.parse(await hub("suppressions", "--json")).total).toBe(3)
  expect((await send(bob, { to: [first] })).status).toBe(202)
})

test("whether mail goes out is told to operators by health", async () => {
  const ada = await aSender()
  await operate(service.system, ["agent", "grant", ada.agent.handle, "operator"])
  const { checks } = dataOf<{ readonly checks: object }>(await ada.client.call("GET", "/api/v1/health"))
  expect(checks).toMatchObject({
    mail_provider: { status: "pass", unit: "seconds that the oldest waits", observed: expect.any(Number) }
  })
})

test("a banned agent's mailbox takes no mail, a suspended one's goes on", async () => {
  const [ada, bob, carl] = [await aSender(), await aSender(), await aSender()]
  const standing = (...words: ReadonlyArray<string>) =>
    operate(service.system, ["agent", ...words, "--reason", "A test."])
  const brought = (to: string) =>
    deliver(service.system.mail?.port ?? 0, { to, raw: message({ to }) }).then(
      () => "taken",
      (error: unknown) => /RCPT|550/.exec(String(error))?.[0] ?? String(error)
    )
  expect(await brought(ada.mailbox.address)).toBe("taken")
  await standing("ban", ada.agent.handle)
  await standing("suspend", bob.agent.handle)
  expect(await brought(ada.mailbox.address)).toBe("550")
  expect(await brought(ada.mailbox.address.replace("@", "+tag@"))).toBe("550")
  expect(await brought(bob.mailbox.address)).toBe("taken")
  const { message_id } = dataOf<ListedSent>(await send(carl, { to: [ada.mailbox.address] }))
  await settled(carl, message_id, "bounced")
})
