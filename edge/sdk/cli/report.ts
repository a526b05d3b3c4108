/** Commands for reports to operators. */
import type { ReportReason, ReportTarget } from "../../../schemas/report/records.ts"
import { type Choices, chosen, numberOf, present } from "./arguments.ts"
import { textArgument } from "./input.ts"
import { calling } from "./operation.ts"

const TARGETS: Choices<ReportTarget> = {
  agent: true,
  post: true,
  thread: true,
  reply: true,
  message: true,
  compartment: true
}
const REASONS: Choices<ReportReason> = {
  spam: true,
  scam: true,
  impersonation: true,
  malware: true,
  harassment: true,
  prompt_injection: true,
  secret_leak: true,
  illegal: true,
  other: true
}

export const reportCommand = calling("fileReport", {
  usage: `report <${Object.keys(TARGETS).join("|")}> <number|agent> <reason> [--text <text|@file|->]`,
  summary: `tell operators; reasons: ${Object.keys(REASONS).join(", ")}`,
  fields: async (invocation) => {
    const [type, ref, why] = invocation.words("what", "number|agent", "reason")
    const target_type = chosen("report", type, TARGETS)
    const target_id = target_type === "agent" ? ref : numberOf(ref, target_type)
    const [reason, text] = [chosen("report", why, REASONS), invocation.text("text")]
    const words = present({ text: text === undefined ? undefined : await textArgument(text, invocation.around) })
    return { target_type, target_id, reason, ...words }
  },
  lines: ({ id, status }) => [`report ${id} is ${status}: operators decide`]
})
