/** `hub human …`: rights of people beyond their own accounts. */
import { HUMAN_ID, normalEmail } from "../../schemas/human/fields.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const REASON_MAX_CHARS = 500

/** A person by address or id. */
const humanOf = async (service: Service, reference: string): Promise<string> => {
  if (HUMAN_ID.test(reference)) return reference
  const email = normalEmail(reference)
  if (email === null) throw new Fault("name a person by e-mail address or by id (hum_…)")
  const { human } = await service.command("credential.whose", "operators", { email })
  if (human === null) throw new Fault(`nobody has an account with the address ${email}`)
  return human
}

export const humanCommand: Command = {
  usage: [
    "human grant <address|id> operator [--reason <text>]",
    "human revoke <address|id> operator [--reason <text>]"
  ],
  run: async (service, { positionals: [action = "", reference = "", role = ""], values }) => {
    if ((action !== "grant" && action !== "revoke") || reference === "" || role !== "operator")
      throw new Fault(`usage: hub ${humanCommand.usage.join("\n       hub ")}`)
    const { reason = "by an operator" } = values
    if (reason.length > REASON_MAX_CHARS) throw new Fault(`--reason may have ${REASON_MAX_CHARS} characters`)
    const human = await humanOf(service, reference)
    const { roles } = await service.command("human.role", human, { role, granted: action === "grant", reason })
    return { human, roles }
  }
}
