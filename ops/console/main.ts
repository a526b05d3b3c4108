/** The operators' console in a process of its own. It stands in ops/, since it imports edges and actors alike. */
import { runProgram } from "../../schemas/runtime/program.ts"
import { openConsole } from "./app.ts"

const STOP_WITHIN_MS = 8000

runProgram(openConsole(process.env), { stopWithinMs: STOP_WITHIN_MS })
