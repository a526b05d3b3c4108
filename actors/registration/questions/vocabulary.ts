/** Words the families draw from. No entry equals another once case and accents are dropped. */

export const WOMEN = [
  "Alice", "Beatrix", "Clara", "Dalia", "Esther", "Farida", "Greta", "Hanna", "Ingrid", "Jasmine", "Katya", "Leonie", "Miriam", "Nadia",
  "Olivia", "Paloma", "Rosalind", "Saskia", "Tamara", "Ursula", "Vera", "Wanda", "Yasmin", "Zoë", "Renée", "Inés", "Chiara", "Bettina",
];

export const MEN = [
  "Adrian", "Boris", "Cedric", "Dmitri", "Elias", "Farouk", "Gustav", "Hector", "Ivan", "Jonas", "Kenji", "Lorenzo", "Marco", "Nikolai",
  "Oscar", "Pablo", "Quentin", "Ruben", "Stefan", "Tobias", "Umberto", "Victor", "Walter", "Yusuf", "José", "André", "Henrik", "Matteo",
];

export const NAMES = [...WOMEN, ...MEN];

export const CITIES = [
  "Lisbon", "Oslo", "Prague", "Cairo", "Lima", "Hanoi", "Dublin", "Athens", "Zagreb", "Quito", "Nairobi", "Seoul", "Vienna", "Tunis",
  "Warsaw", "Havana", "Riga", "Madrid", "Ankara", "Bergen",
];

export const OBJECTS = [
  "lamp", "compass", "teapot", "violin", "kite", "globe", "lantern", "basket", "mirror", "drum", "vase", "hammer", "scarf", "telescope",
  "candle", "wallet", "rope", "umbrella", "whistle", "blanket", "bell", "flute", "ladder", "saddle",
];

export const COLOURS = ["red", "blue", "green", "yellow", "white", "black", "orange", "purple", "brown", "silver", "pink", "grey"];

export const PLACES = [
  "harbour", "library", "bakery", "museum", "station", "market", "chapel", "school", "theatre", "stable", "mill", "fountain", "bridge",
  "garden", "post office", "town hall", "pharmacy", "bank", "lighthouse", "windmill",
];

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const MONTHS = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

/** Six to eight letters, everyday words. */
export const WORDS = [
  "planet", "castle", "bridge", "silver", "orchid", "magnet", "copper", "basket", "dragon", "jacket", "kitchen", "lantern", "mountain",
  "notebook", "painter", "quarter", "rainbow", "sandwich", "teacher", "umbrella", "village", "whisper", "blanket", "captain", "diamond",
  "elephant", "feather", "garden", "harvest", "island", "journal", "keyboard", "leather", "monster", "network", "october", "pumpkin",
  "railway", "scarlet", "thunder", "uniform", "vampire", "weather", "anchor", "butter", "candle", "desert", "engine", "forest", "guitar",
  "hammer", "insect", "jungle", "ladder", "marble", "needle", "orange", "pepper", "rabbit", "saddle", "tunnel", "velvet", "window",
  "yellow", "zipper", "balloon", "cabinet", "dolphin", "express", "freight", "glacier", "horizon", "imagine", "justice", "kingdom",
  "library", "message", "nothing", "opinion", "passage",
];
