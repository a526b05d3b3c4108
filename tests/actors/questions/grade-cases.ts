/** Answers that are right, and answers that are wrong. */
import type { AnswerKind, FormatRule, Question } from "../../../actors/registration/questions/question.ts"

export const ask = (kind: AnswerKind, answer: string, format: FormatRule | null = null): Question => ({
  id: "q1",
  prompt: "?",
  answer,
  kind,
  format
})

export const RIGHT: ReadonlyArray<readonly [Question, ReadonlyArray<unknown>]> = [
  [
    ask("number", "5"),
    [
      "5",
      " 5 ",
      "5.",
      "five",
      "Five",
      "FIVE!",
      "the five",
      "a 5",
      5,
      { answer: 5 },
      { answer: "five" },
      '{"answer": 5}',
      '{"answer":"5"}',
      "{answer: 5}",
      "{ 'answer': 'five' }",
      "５"
    ]
  ],
  [ask("number", "42"), ["forty-two", "Forty Two", "forty two.", "'forty-two'", "“42”", "forty‑two"]],
  [
    ask("number", "1206"),
    [
      "1206",
      "1,206",
      "1.206",
      "1 206",
      "1'206",
      "1 206",
      "one thousand two hundred and six",
      "one thousand, two hundred six",
      "twelve hundred six",
      "twelve hundred and six",
      "a thousand two hundred and six"
    ]
  ],
  [ask("number", "1200"), ["twelve hundred", "one thousand two hundred", "1,200"]],
  [ask("number", "100"), ["a hundred", "one hundred", "A Hundred."]],
  [ask("number", "0"), ["0", "zero"]],
  [
    ask("word", "Renée"),
    [
      "Renée",
      "renee",
      "RENÉE",
      "Rene\u0301e",
      "Renée.",
      "the Renée",
      "«Renée»",
      "La Renée",
      '{"answer":"Renee"}',
      '{"answer":"Ren\\u00e9e"}',
      "{answer: Renée}",
      { answer: "renée" }
    ]
  ],
  [
    ask("word", "post office"),
    ["post office", "Post Office", "the post office", "The  post  office.", "El post office"]
  ],
  [ask("word", "HTM"), ["HTM", "htm", "H-T-M", "H.T.M."]],
  [ask("word", "lantern"), ["a lantern", "An lantern", "the lantern!"]],
  [
    ask("time", "09:05"),
    ["9:05", "09:05", "9h05", "09h05", "9H05", "9.05", "9 h 05", "9：05", "'9:05'", "09:05.", { answer: "9h05" }]
  ],
  [ask("time", "17:30"), ["17:30", "17h30"]],
  [ask("time12", "5:30 pm"), ["5:30 pm", "5:30pm", "5:30 PM", "5:30 p.m.", "05:30 pm", "5h30 pm", "17:30"]],
  [ask("time12", "12:15 am"), ["12:15 am", "12:15 a.m.", "0:15", "00:15"]],
  [ask("time12", "12:15 pm"), ["12:15 pm", "12:15"]]
]

export const WRONG: ReadonlyArray<readonly [Question, ReadonlyArray<unknown>]> = [
  [
    ask("number", "5"),
    [
      "6",
      "4",
      "-5",
      "−5",
      "minus five",
      "+5",
      ".5",
      ",5",
      "5.0",
      "5%",
      "$5",
      "05",
      "5 apples",
      "The answer is 5",
      "5 or 6",
      "5, 6",
      "5 5",
      "fifth",
      "and five",
      "five and",
      "",
      " ",
      "the",
      null,
      undefined,
      true,
      [],
      ["5"],
      [5],
      {},
      { answer: [5] },
      { answer: { answer: 5 } },
      { answer: 5, note: "x" },
      { Answer: 5 },
      '{"answer":5,"x":1}',
      '{"reply":5}',
      "{5}",
      "{:5}",
      "{answer}",
      Number.NaN,
      5.5
    ]
  ],
  [
    ask("number", "1206"),
    ["12,06", "1,2,0,6", "1,206.0", "1.206,0", "01,206", "120 6", "1206 1206", "one two zero six", "1,20,6"]
  ],
  [
    ask("word", "Lena"),
    ["Lena Omar", "Lena, Omar", "Lena or Omar", "It is Lena", "Len", "Lenas", "Lena 👍", "=Lena", "", "the the Lena"]
  ],
  [ask("word", "A"), ["", "the", "B"]],
  [
    ask("time", "09:05"),
    ["9:06", "21:05", "9:5", "9", "905", "0905", "9:05 am", "9:05:00", "9:65", "33:05", "at 9:05", "nine past five"]
  ],
  [ask("time12", "5:30 pm"), ["5:30", "5:30 am", "17:30 pm", "05:30", "0:30 pm", "13:30 pm"]],
  [ask("time12", "12:15 am"), ["12:15 pm", "12:15", "00:15 am", "0:15 am"]]
]
