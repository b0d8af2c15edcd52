// Finds sections of the guide by words. All words have to be there; headings count more than text.

export interface Section {
  url: string
  page: string
  heading: string
  text: string
}

export interface Found extends Section {
  /** The text around the first word that was found. */
  excerpt: string
}

const MOST_FOUND = 12
const LONGEST_QUERY = 100
const EXCERPT = 140

/** Takes time in proportion to the index: each word is searched once in each section. */
export function findSections(sections: readonly Section[], query: string): Found[] {
  const words = query.slice(0, LONGEST_QUERY).toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, words) }))
}

function scoreOf({ page, heading, text }: Section, words: readonly string[]): number {
  const places = [
    { text: heading.toLowerCase(), weight: 10 },
    { text: page.toLowerCase(), weight: 4 },
    { text: text.toLowerCase(), weight: 1 },
  ]
  let score = 0
  for (const word of words) {
    const best = places
      .map((place) => {
        const at = place.text.indexOf(word)
        if (at === -1) return 0
        // "wait" means the heading "Wait" rather than "Awaiting".
        return place.weight * (at === 0 || !/\w/.test(place.text[at - 1]!) ? 2 : 1)
      })
      .reduce((sum, one) => sum + one, 0)
    if (best === 0) return 0
    score += best
  }
  return score
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index !== -1))
  if (!Number.isFinite(at)) return text.slice(0, EXCERPT)
  const from = Math.max(0, at - 40)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + EXCERPT)}${from + EXCERPT < text.length ? '…' : ''}`
}
