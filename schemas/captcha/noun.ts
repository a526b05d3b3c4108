import { captchaOperations, relayingOperations } from "./operations.ts"

export { CaptchaApi as api } from "./api.ts"
export { captchaQueries as queries } from "./operations.ts"

export const operations = { ...relayingOperations, ...captchaOperations }
