import { noticeOperations } from "./notice.ts"
import { addressOperations, mailboxOperations, mailerOperations, mailOperations } from "./operations.ts"

export { MailApi as api } from "./api.ts"
export { mailQueries as queries } from "./operations.ts"

export const operations = {
  ...mailerOperations,
  ...addressOperations,
  ...mailboxOperations,
  ...mailOperations,
  ...noticeOperations
}
