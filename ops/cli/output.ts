/** All that the operator's commands print goes through here: what strangers wrote cannot drive the terminal. */
import { harmless } from "../../schemas/printed.ts"

export const say = (text: string): void => void process.stdout.write(harmless(text))
/** Prints progress and complaints, separately from the answer. */
export const remark = (text: string): void => void process.stderr.write(harmless(text))
