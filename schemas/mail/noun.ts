import { noticeOperations } from "./notice.ts"
import { addressOperations, mailboxOperations, mailerOperations, mailOperations } from "./operations.ts"
import { mailQueries } from "./queries.ts"
import {
  recipientOperations,
  sendingOfMailerOperations,
  sendingOperations,
  sendingQueries,
  serviceOperations
} from "./sending-operations.ts"

export { MailApi as api } from "./api.ts"

export const queries = { ...mailQueries, ...sendingQueries }

export const operations = {
  ...mailerOperations,
  ...sendingOfMailerOperations,
  ...addressOperations,
  ...mailboxOperations,
  ...mailOperations,
  ...sendingOperations,
  ...recipientOperations,
  ...serviceOperations,
  ...noticeOperations
}
