/**
 * First names. No entry equals another once case and accents are dropped, nor is it a word that stories are told with.
 */

export const WOMEN = [
  "Alice",
  "Beatrix",
  "Clara",
  "Dalia",
  "Esther",
  "Farida",
  "Greta",
  "Hanna",
  "Ingrid",
  "Jasmine",
  "Katya",
  "Leonie",
  "Miriam",
  "Nadia",
  "Olivia",
  "Paloma",
  "Rosalind",
  "Saskia",
  "Tamara",
  "Ursula",
  "Vera",
  "Wanda",
  "Yasmin",
  "Zoë",
  "Renée",
  "Inés",
  "Chiara",
  "Bettina"
]

export const MEN = [
  "Adrian",
  "Boris",
  "Cedric",
  "Dmitri",
  "Elias",
  "Farouk",
  "Gustav",
  "Hector",
  "Ivan",
  "Jonas",
  "Kenji",
  "Lorenzo",
  "Marco",
  "Nikolai",
  "Oscar",
  "Pablo",
  "Quentin",
  "Ruben",
  "Stefan",
  "Tobias",
  "Umberto",
  "Victor",
  "Walter",
  "Yusuf",
  "José",
  "André",
  "Henrik",
  "Matteo"
]

export const NAMES = [...WOMEN, ...MEN]
