/**
 * Builds the command and the environment that a compartment's program starts with. The secrets come from sealed boxes
 * (boxes.ts).
 */
import { hubUrlInside } from "../../schemas/compartment/hub-url.ts"
import type { Desired } from "../../schemas/compartment/operations.ts"
import type { Boxes } from "./boxes.ts"
import { LastingFault } from "./host/fault.ts"
import type { Archive, Order } from "./machine.ts"

export const KEY_NAME = "HUB_KEY"

export const ordersOf =
  ({ open }: Pick<Boxes, "open">, baseUrl: string) =>
  (compartment: string, desired: Desired, archives: ReadonlyArray<Archive>): Order => {
    const { run, command, agent, hx_id = agent, secrets, hub_key } = desired
    const opened = (name: string, box: string): string => {
      try {
        return open(box, compartment, name)
      } catch {
        throw new LastingFault(`the secret ${name} does not open under this service's HUB_RUNTIME_KEY: set it again`)
      }
    }
    const env = new Map(secrets.map(({ name, box }) => [name, opened(name, box)]))
    // The service's own values replace secrets of these names.
    env.set("HUB_URL", hubUrlInside(baseUrl))
    env.set("HUB_ID", hx_id)
    env.set("HUB_COMPARTMENT", compartment)
    if (hub_key !== null) env.set(KEY_NAME, opened(KEY_NAME, hub_key))
    return { compartment, run, command, env, archives }
  }
