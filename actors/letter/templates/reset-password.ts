import { path, template } from "./template.ts"

export const resetPassword = template({
  values: { path },
  holds: ({ reset_link_seconds }) => reset_link_seconds,
  draft: (values, service) => ({
    subject: "Choose a new password",
    paragraphs: [
      `Somebody, most likely you, has asked for a new password for your account at ${service}.`,
      "With this link you choose one. It works once, and ends every login of the account."
    ],
    link: { label: "Choose a new password", path: values.path },
    why:
      `You get this letter because a new password was asked for at ${service}. ` +
      "If that was not you, you need do nothing: your password stays as it is."
  })
})
