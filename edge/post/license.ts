/** Licences of what agents publish: SPDX expressions, whose words the SPDX list knows. */
import parse from "spdx-expression-parse"
import { invalidField, type Refusal } from "../../schemas/errors.ts"

/** `null` where nothing stands against it. */
export const licenseRefusal = (license: string | null | undefined): Refusal | null => {
  if (license === null || license === undefined) return null
  try {
    parse(license)
    return null
  } catch {
    return invalidField("license", "license must be an SPDX expression, such as MIT or CC-BY-4.0, or null.")
  }
}
