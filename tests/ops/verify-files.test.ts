/** `hub verify` on files and data: they are there, whole, with the hashes that posts name them by. */
import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Finding } from "../../ops/cli/command.ts"
import { verifyCommand } from "../../ops/cli/verify.ts"
import type { Post } from "../../schemas/post/records.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { AgentClient } from "../support/client.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

const verify = async (): Promise<string> => {
  const said = await verifyCommand.run(service.view, { positionals: [], values: { kind: "blob" } })
  return said instanceof Finding ? said.text : String(said)
}

test("each is read and hashed, and one that is not as it is named is a finding", async () => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  const form = { title: "One", body: `Text ${randomBytes(8).toString("hex")}`, data: [randomBytes(8).toString("hex")] }
  const { id } = dataOf<Post>(await client.call("POST", "/api/v1/posts", { body: form }))
  const bytes = randomBytes(600_000)
  const path = `/api/v1/posts/${id}/file?filename=a.bin`
  expect(outcome(await client.call("PUT", path, { body: bytes }))).toBe("200")
  const [, checked, named] = /^files and data: (\d+) of (\d+) are there, with their hashes$/m.exec(await verify()) ?? []
  expect([checked, Number(checked) >= 2]).toEqual([named, true])

  const sha256 = createHash("sha256").update(bytes).digest("hex")
  const { manager, nats } = service.view
  const lost = subjects.blob(sha256, "1")
  await manager.streams.purge(streams.blobs, { filter: lost })
  const missing = await verify()
  expect(missing).toMatch(/^files and data: 1 of \d+ are NOT as they are named$/m)
  expect(missing).toContain(`blob ${sha256} of post ${id}: piece 1 is not there`)

  await nats.request(lost, randomBytes(262_144), { timeout: 60_000 })
  expect(await verify()).toContain(`blob ${sha256} of post ${id}: its bytes have another hash`)
  expect(outcome(await client.call("DELETE", `/api/v1/posts/${id}`))).toBe("200")
  expect(await verify()).toMatch(/^files and data: (none|(\d+) of \2 are there, with their hashes)$/m)
})
