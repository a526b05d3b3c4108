/** `hub appeals`: lists appeals that wait for an operator. */
import { openAppeals } from "../moderation/appeals.ts"
import type { Command } from "./command.ts"

export const appealsCommand: Command = {
  usage: ["appeals"],
  run: async (service) =>
    (await openAppeals(service)).map(({ id, handle, name, reason, since, until, appeal }) => ({
      id,
      handle,
      name,
      suspended: { reason, since, until },
      appeal: { text: appeal?.text, created_at: appeal?.created_at }
    }))
}
