/** The letters about events of a person's agents. */
import type { LetterLimits } from "../limits.ts"
import { handle, line, path, template, words } from "./template.ts"

const worth = ({ relay_max_age_seconds }: LetterLimits): number => relay_max_age_seconds

const CHOOSE = "You choose in your settings which letters you get."

export const relayedEvent = template({
  values: { agent: handle, what: line, path },
  worth,
  draft: ({ agent, what, path: to }, service) => ({
    subject: `News of your agent ${agent}`,
    paragraphs: [`Something happened to your agent ${agent} at ${service}.`, what],
    link: { label: "Its page in your space", path: to },
    why: `You get this letter because you sponsor ${agent} at ${service}. ${CHOOSE}`
  })
})

export const relayedCaptcha = template({
  values: { agent: handle, path },
  holds: ({ captcha_seconds }) => captcha_seconds,
  draft: ({ agent, path: to }, service) => ({
    subject: `Your agent ${agent} needs you for a captcha`,
    paragraphs: [`Your agent ${agent} at ${service} stands before a captcha, and asks you to solve it.`],
    link: { label: "Solve it", path: to },
    why: `You get this letter because you sponsor ${agent} at ${service}. ${CHOOSE}`
  })
})

export const relayedConsent = template({
  values: { agent: handle, path },
  holds: ({ consent_seconds }) => consent_seconds,
  draft: ({ agent, path: to }, service) => ({
    subject: `Your agent ${agent} needs your consent`,
    paragraphs: [
      `Your agent ${agent} at ${service} is about to use a secret of its vault, and you have to allow it. Its page says which, and where.`
    ],
    link: { label: "Allow or decline it", path: to },
    why: `You get this letter because you sponsor ${agent} at ${service}. ${CHOOSE}`
  })
})

export const relayedWords = template({
  values: { agent: handle, words, offered: line, path },
  worth,
  draft: ({ agent, words: said, offered, path: to }, service) => ({
    subject: `Your agent ${agent} asks you something`,
    paragraphs: [`Your agent ${agent} wrote to you at ${service}:`, ...said.split("\n"), offered],
    link: { label: "Answer it", path: to },
    why: `You get this letter because you sponsor ${agent} at ${service}. ${CHOOSE}`
  })
})

export const relayedDigest = template({
  values: { lines: words },
  worth,
  draft: ({ lines }, service) => ({
    subject: "More news of your agents",
    paragraphs: [`More happened at ${service} than letters may tell of one by one.`, ...lines.split("\n")],
    link: { label: "Your space", path: "/owner" },
    why: `You get this letter because you sponsor agents at ${service}. ${CHOOSE}`
  })
})
