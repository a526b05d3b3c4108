/** The news that an owner gets besides the pages, by whichever way. */
import type { CaptchaKind } from "../../schemas/captcha/records.ts"
import type { ConsentAsked } from "../../schemas/vault/records.ts"

export type News =
  | {
      readonly type: "question"
      readonly number: number
      readonly text: string
      readonly options: ReadonlyArray<string>
    }
  | { readonly type: "captcha"; readonly number: number; readonly kind: CaptchaKind; readonly context: string | null }
  /** `agent`: whose vault it is, a hub id. */
  | { readonly type: "consent"; readonly agent: string; readonly asked: ConsentAsked }
  | { readonly type: "owner" }
  | { readonly type: "event"; readonly event: string }

/** `page`: where the owner reads all of it. */
export interface NewsOf {
  readonly handle: string
  readonly page: string
}
