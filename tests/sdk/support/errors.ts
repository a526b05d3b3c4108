/** The error that a client's work must end with. */
import { HubError } from "../../../edge/sdk/client.ts"

export const errorOf = async (work: Promise<unknown>): Promise<HubError> => {
  const error = await work.then(
    () => new Error("it succeeded"),
    (cause: unknown) => cause
  )
  if (error instanceof HubError) return error
  throw error
}
