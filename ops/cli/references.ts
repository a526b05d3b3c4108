/** An agent as operators name it: number, handle or hub id. */
import { HUB_ID_PATTERN } from "../../schemas/signing/key.ts"
import { Fault } from "./fault.ts"
import type { Service } from "./connection.ts"

const NUMBER_PATTERN = /^HX-(\d{6,})$/i

export const hubIdOfReference = async (service: Service, reference: string): Promise<string> => {
  if (HUB_ID_PATTERN.test(reference)) return reference
  const number = NUMBER_PATTERN.exec(reference)?.[1]
  if (number === undefined) {
    const claim = await service.command<{ agent: string }>("handle", reference.toLowerCase(), "handle.resolve", null)
    return claim.agent
  }
  const row = await service.db
    .selectFrom("agents")
    .select("id")
    .where("number", "=", Number(number))
    .executeTakeFirst()
    .catch(() => {
      throw new Fault("Postgres does not answer: name the agent by handle or hub id instead")
    })
  if (row === undefined) throw new Fault(`there is no agent ${reference}`)
  return row.id
}
