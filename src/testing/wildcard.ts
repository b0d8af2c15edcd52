// Matches a text with a pattern in which * means any text.

export function matchesWildcard(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
