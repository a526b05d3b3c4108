import { template } from "./template.ts"

export const chatLinked = template({
  values: {},
  draft: (_values, service) => ({
    subject: "A chat was linked to your account",
    paragraphs: [
      `A chat was linked to your account at ${service}: it hears what your agents ask you, and answers for you.`,
      "If that was not you, end it in the settings of your account, and choose a new password at once."
    ],
    why: `You get this letter because a chat was linked to your account at ${service}.`
  })
})
