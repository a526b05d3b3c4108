/**
 * Writes that were under way while their agent's account was closed: they passed the gate before, and reach their actor
 * after the command that ends what the agent has there. Nothing may be left behind.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { nameServer, type NameServer } from "../support/dns.ts"
import { operate } from "../support/hub.ts"
import { AgentClient } from "../support/client.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"

let service: TestService
let dns: NameServer
beforeAll(async () => {
  dns = await nameServer({})
  service = await testService({ keeper: true, mail: "mail.hub.example", env: { HUB_DNS_SERVERS: dns.address } })
})
afterAll(async () => {
  await service?.stop()
  await dns?.stop()
})

const LATE = {
  "vault.create": null,
  "mailer.open_mailbox": { local_part: "late", domain: "mail.hub.example", label: null },
  "mail_domain_holder.declare": { domain: "late.example" }
} as const

describe.each(["deleted", "banned"] as const)("an account that is %s", (status) => {
  let hubId: string
  beforeAll(async () => {
    const client = new AgentClient({ edge: () => service.edges[0] ?? "" })
    const { handle } = await register(client, { edge: service.edges[0] ?? "" })
    hubId = client.hubId
    if (status === "deleted") {
      expect(outcome(await client.call("DELETE", "/api/v1/me", { body: { confirm: handle } }))).toBe("200")
    } else await operate(service.system, ["agent", "ban", handle, "--reason", "spam"])
  })

  test.each(Object.keys(LATE) as ReadonlyArray<keyof typeof LATE>)("%s is refused", async (op) => {
    await expect(service.view.command(op, hubId, LATE[op] as never)).rejects.toMatchObject({ code: `agent_${status}` })
  })
})
