// A hint while a password is typed. The service's own rule is a length; this says what else makes one hard to guess.

export const SHORTEST_PASSWORD = 10

export interface Strength {
  level: 0 | 1 | 2 | 3
  word: string
}

const OBVIOUS = /password|passwort|millrace|qwert|12345|letmein|welcome|admin/i

export function passwordStrength(password: string): Strength {
  if (password.length < SHORTEST_PASSWORD)
    return { level: 0, word: `Too short: at least ${SHORTEST_PASSWORD} characters` }
  const distinct = new Set(password).size
  if (distinct < 8 || OBVIOUS.test(password))
    return { level: 1, word: 'Easy to guess: use words or characters that do not belong together' }
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length
  if (password.length >= 18 || (password.length >= 14 && kinds >= 3)) return { level: 3, word: 'Strong' }
  return { level: 2, word: 'Good; longer is better' }
}
