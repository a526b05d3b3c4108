/** All output of the operator's commands goes through here, so that strangers' text cannot control the terminal. */
import { harmless } from "../../schemas/printed.ts"

export const say = (text: string): void => void process.stdout.write(harmless(text))
/** Prints progress and errors on standard error, separately from the result. */
export const remark = (text: string): void => void process.stderr.write(harmless(text))
