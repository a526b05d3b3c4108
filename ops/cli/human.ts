/** `hub human …`: grants people the role of an operator, and revokes it. */
import { HUMAN_ID, normalEmail } from "../../schemas/human/fields.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const REASON_MAX_CHARS = 500

/** Finds a person by address. An id is returned unchecked. */
const humanOf = async (service: Service, reference: string): Promise<string> => {
  if (HUMAN_ID.test(reference)) return reference
  const email = normalEmail(reference)
  if (email === null) throw new Fault("name a person by e-mail address or by id (hum_…)")
  const { human } = await service.command("credential.whose", "operators", { email })
  if (human === null) throw new Fault(`nobody has an account with the address ${email}`)
  return human
}

const granting = (action: "grant" | "revoke"): Command => ({
  usage: [`human ${action} <address|id> operator [--reason <text>]`],
  run: async (service, { positionals: [reference = ""], values: { reason = "by an operator" } }) => {
    if (reason.length > REASON_MAX_CHARS) throw new Fault(`--reason may have ${REASON_MAX_CHARS} characters`)
    const human = await humanOf(service, reference)
    const { roles } = await service.command("human.role", human, {
      role: "operator",
      granted: action === "grant",
      reason
    })
    return { human, roles }
  }
})

export const humanCommands = [granting("grant"), granting("revoke")]
