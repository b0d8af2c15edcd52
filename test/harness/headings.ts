// Finds the headings of a Markdown page, and the text below one of them.

const HEADING = /^(#+) (.*)$/gm
const withoutBlocks = (text: string): string => text.replaceAll(/```[\s\S]*?```/g, '')

/** Returns the anchor that GitHub makes for a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

export const anchors = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(HEADING)].map(([, , heading]) => anchor(heading!))

/** Returns the text up to the next heading of the same or a higher level; empty if there is no such heading. */
export function sectionAt(text: string, name: string): string {
  const plain = withoutBlocks(text)
  const headings = [...plain.matchAll(HEADING)]
  const from = headings.find(([, , heading]) => anchor(heading!) === name)
  if (!from) return ''
  const next = headings.find(({ index, 1: marks }) => index > from.index && marks!.length <= from[1]!.length)
  return plain.slice(from.index, next?.index)
}
