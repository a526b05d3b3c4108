/** The operators' console as a separate process. It is in ops/, because it imports from both edge and actors. */
import { runProgram } from "../../schemas/runtime/program.ts"
import { openConsole } from "./app.ts"

const STOP_WITHIN_MS = 8000

runProgram(openConsole(process.env), { stopWithinMs: STOP_WITHIN_MS })
