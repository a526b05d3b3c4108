import { line, template } from "./template.ts"

export const newLogin = template({
  values: { when: line, what: line },
  draft: ({ when, what }, service) => ({
    subject: "New login to your account",
    paragraphs: [
      `There was a new login to your account at ${service}.`,
      `When: ${when}`,
      `With: ${what}`,
      "If that was you, there is nothing to do. If not, choose a new password at once: that ends every login."
    ],
    why: `You get this letter because somebody logged in to your account at ${service} in a way that is new.`
  })
})
