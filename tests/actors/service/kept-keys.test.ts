/** What is sealed is opened by the key that sealed it: a start with a new one refuses, and says which key it lacks. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { MailKeys } from "../../../actors/mail/keys.ts"
import { KeySealing } from "../../../actors/vault/keeper/sealing.ts"
import { KeeperStore } from "../../../actors/vault/keeper/store.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import { waitFor } from "../../harness/index.ts"
import { AgentClient } from "../../support/client.ts"
import { dataOf } from "../../support/outcome.ts"
import { CONFIGURATION_ERROR, refusedStart } from "../../support/refused-start.ts"
import { register } from "../../support/register.ts"
import { type TestService, testService } from "../../support/service.ts"

const DOMAIN = "mail.kept.test"

let service: TestService
beforeAll(async () => {
  service = await testService({ keeper: true, mail: DOMAIN })
})
afterAll(() => service?.stop())

const another = (): Buffer => randomBytes(32)
const storeWith = (seed: Uint8Array) => new KeeperStore(service.view.nats, new KeySealing(seed, null))

test("where nothing is sealed yet, any key will do", async () => {
  expect(await storeWith(another()).opens()).toBe(true)
  expect(await new MailKeys(service.view.nats, another()).opens()).toBe(true)
})

test("where something is, a keeper and a mail process with another key end in one line", async () => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  dataOf(await client.call("POST", `${API_PREFIX}/email/mailboxes`, { body: {} }))
  dataOf(await client.call("POST", `${API_PREFIX}/vault`, { body: {} }))
  await waitFor(async () => !(await storeWith(another()).opens()), { describe: "a key of the vault" })
  expect(await new MailKeys(service.view.nats, another()).opens()).toBe(false)
  const [vaultKey, mailKey] = [another().toString("base64"), another().toString("base64")]
  expect(await refusedStart(service, { HUB_ROLES: "keeper", HUB_VAULT_KEY: vaultKey })).toEqual([
    CONFIGURATION_ERROR,
    expect.stringMatching(/^HUB_VAULT_KEY, with HUB_VAULT_KEY_FORMER, opens nothing that is sealed here: [^\n]*\n$/)
  ])
  const mail = { HUB_ROLES: "mail", HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: DOMAIN, HUB_MAIL_PORT: "0" }
  const [status, said] = await refusedStart(service, { ...mail, HUB_MAIL_KEY: mailKey })
  expect(status).toBe(CONFIGURATION_ERROR)
  expect(said).toMatch(/HUB_MAIL_KEY or HUB_MAIL_KEY_FILE opens nothing that is sealed here: /)
  for (const secret of [vaultKey, mailKey]) expect(said).not.toContain(secret)
})
