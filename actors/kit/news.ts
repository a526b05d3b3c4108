/** News for an owner that is also sent by letter, push or chat, besides being shown on the pages. */
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
  /** `agent`: the hub id of the agent whose vault waits. */
  | { readonly type: "consent"; readonly agent: string; readonly asked: ConsentAsked }
  | { readonly type: "owner" }
  | { readonly type: "event"; readonly event: string }

/** `page`: the URL of the page that shows everything. */
export interface NewsOf {
  readonly handle: string
  readonly page: string
}
