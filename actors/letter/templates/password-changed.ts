import { template } from "./template.ts"

export const passwordChanged = template({
  values: {},
  draft: (_values, service) => ({
    subject: "Your password was changed",
    paragraphs: [
      `The password of your account at ${service} was changed, and every login of the account has ended.`,
      "If that was not you, choose a new password at once, by the page for forgotten passwords."
    ],
    why: `You get this letter because the password of your account at ${service} was changed.`
  })
})
