import { line, template } from "./template.ts"

export const twoStepChanged = template({
  values: { what: line },
  draft: ({ what }, service) => ({
    subject: "The login of your account was changed",
    paragraphs: [
      `The login of your account at ${service} was changed: ${what}.`,
      "If that was not you, choose a new password at once, and look at the settings of your account."
    ],
    why: `You get this letter because the login of your account at ${service} was changed.`
  })
})
