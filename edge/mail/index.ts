export { CONFIRM_WORD, type MailSection, type RefusedClosing, closingForm, mailRow, mailSection } from "./owner-view.ts"
export { type OwnedMail, OwningMail } from "./owning.ts"
export { mailRoutes as routes, mailForms as forms } from "./routes.ts"
