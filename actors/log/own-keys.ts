/**
 * Refuses to start with a key that did not seal the existing data, because a node with a new key would only add data
 * that the old key cannot open.
 */
import { Effect } from "effect"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { attempt, awaited } from "./attempt.ts"

/**
 * Checks the keys; waits while the store does not answer. `opens`: tells whether the keys open what is sealed; true if
 * nothing is sealed yet. `names`: the settings that hold the key.
 */
export const ownKeys = (opens: () => Promise<boolean>, names: string): Effect.Effect<void, ConfigurationFault> =>
  Effect.flatMap(awaited("what the keys opened", attempt(opens)), (isOurs) =>
    isOurs
      ? Effect.void
      : Effect.fail(
          new ConfigurationFault({
            message: `${names} opens nothing that is sealed here: give the key that sealed it, from the backup of keys`
          })
        )
  )
