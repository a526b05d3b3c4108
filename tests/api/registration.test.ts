/** Registration to the letter of spec 2.7, 3.3 and 4.3: what is answered, and every way to be refused. */
import { afterAll, beforeAll, describe } from "vitest"
import { openRegistration, closeRegistration } from "./registration/applicants.ts"
import { challengeStep } from "./registration/challenge.ts"
import { questionsStep } from "./registration/questions.ts"
import { registerStep } from "./registration/register.ts"

beforeAll(openRegistration)
afterAll(closeRegistration)

describe("step 1", challengeStep)
describe("step 2", questionsStep)
describe("step 3", registerStep)
