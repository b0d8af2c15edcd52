// Reads the guide's order from docs/README.md, and writes the line at the foot of each page that links to the next.
interface Page {
  title: string
  file: string
}

export const guidePages = (index: string): Page[] =>
  [...index.matchAll(/^\d+\. \[(.+?)\]\((\S+?\.md)\)/gm)].map(([, title, file]) => ({ title: title!, file: file! }))

const FOOT = /\n---\n\n[^\n]*\[Guide\]\(README\.md\)[^\n]*\n$/

export const withoutFoot = (text: string): string => text.replace(FOOT, '')

export function withFoot(text: string, file: string, pages: readonly Page[]): string {
  const place = pages.findIndex((page) => page.file === file)
  const [previous, next] = [pages[place - 1], pages[place + 1]]
  const links = [
    previous && `[← ${previous.title}](${previous.file})`,
    '[Guide](README.md)',
    next && `[${next.title} →](${next.file})`,
  ]
  return `${withoutFoot(text)}\n---\n\n${links.filter(Boolean).join(' · ')}\n`
}
