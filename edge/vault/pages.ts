/** The page of a vault for people who write into it. */
import { Effect } from "effect"
import { HTML_TYPE } from "../../schemas/page.ts"
import { VaultPages } from "../../schemas/vault/pages.ts"
import { pagesOf } from "../http/handlers.ts"
import { plain } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { sealPage, sealPageHeaders } from "./seal-view.ts"

export const vaultPages = ({ config: { hub } }: EdgeParts) => {
  const page = sealPage(hub)
  return pagesOf(VaultPages, {
    seal: (call) =>
      Effect.sync(() => {
        Object.assign(call.headers, sealPageHeaders)
        return plain(page, HTML_TYPE)
      })
  })
}
