import { refusal, untilOperator } from "../../../schemas/errors.ts"

export const mailDisabled = untilOperator(refusal("email_disabled", "This service has no mail."))
