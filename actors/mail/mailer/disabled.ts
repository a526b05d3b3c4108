import { refusal } from "../../../schemas/errors.ts"

export const mailDisabled = refusal("email_disabled", "This service has no mail.")
