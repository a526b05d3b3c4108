/** The page of a vault, for people who write into it. */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { HtmlText } from "../page.ts"

const SEAL_PATH = "/vault/seal"

export const VaultPages = HttpApiGroup.make("page.vault").add(
  HttpApiEndpoint.get("seal", SEAL_PATH, { success: HtmlText }).annotateMerge(
    describe("none", "Seals an entry in the browser, for whoever has a source's token")
  )
)
