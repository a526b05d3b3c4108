import type { Answering } from "../queries/serve.ts"
import { captchaKind } from "./actor.ts"
import { captchaProjection } from "./projection.ts"
import { captchasPendingQuery } from "./queries.ts"
import { captchaNotifications } from "./reactions.ts"

export const kinds = [captchaKind]

export const projections = [captchaProjection]

export const reactions = [captchaNotifications]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  captchas_pending: captchasPendingQuery(db, baseUrl)
})

export { EXPIRE_TIMER } from "./decide.ts"
export { sealDetails } from "./sealed.ts"
export { CaptchaEvent } from "./state.ts"
