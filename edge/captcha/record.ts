import type { Captcha } from "../../schemas/captcha/records.ts"
import { dataOfPeople, dataValue, type Response } from "../http/respond.ts"

/** What an owner answered goes with that account: `kept` is what an Idempotency-Key keeps. */
export const recordOf = (captcha: Captcha, kept: Captcha = { ...captcha, answer: null }, status?: number): Response =>
  captcha.answer === null ? dataValue(captcha, status) : dataOfPeople(captcha, kept, status)
