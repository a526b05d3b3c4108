/** A service without any host of compartments says that only an operator can change that (contract 22). */
import { expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService } from "../support/service.ts"

test("nothing is made, and nobody need ask again within the hour", async () => {
  const { edges } = await sharedService()
  const agent = new AgentClient({ edge: () => edges[0] ?? "" })
  await register(agent, { edge: edges[0] ?? "" })
  const body = { name: "one", command: "true", accept_terms: true }
  const answer = await agent.call("POST", "/api/v1/compartments", { body })
  expect([outcome(answer), answer.headers["retry-after"]]).toEqual(["503 runtime_unavailable", "3600"])
  const mail = await agent.call("GET", "/api/v1/email/messages")
  expect([outcome(mail), mail.headers["retry-after"]]).toEqual(["503 email_disabled", "3600"])
})
