import { noticeOperations } from "./notice.ts"
import { addressOperations, mailboxOperations, mailerOperations, mailOperations, mailQueries } from "./operations.ts"
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
