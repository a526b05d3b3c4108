/**
 * An error in the configuration. Its message is one line that names the setting. The operator corrects it and starts
 * the process again.
 */
import { Data } from "effect"

export class ConfigurationFault extends Data.TaggedError("ConfigurationFault")<{ readonly message: string }> {}
