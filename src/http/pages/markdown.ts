// Renders a part of Markdown to HTML for pages that work without scripts: headings, paragraphs, lists, quotes, code, emphasis and
// links. The text may hold what strangers sent, so everything else stays text, and reading it takes linear time.

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)

export function renderMarkdown(markdown: string): string {
  const html: string[] = []
  let paragraph: string[] = []
  let list = null as { tag: 'ul' | 'ol'; items: string[] } | null
  let code: string[] | null = null
  const endParagraph = () => {
    if (paragraph.length) html.push(`<p>${paragraph.map(inline).join('<br>')}</p>`)
    paragraph = []
  }
  const endList = () => {
    if (list) html.push(`<${list.tag}>${list.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${list.tag}>`)
    list = null
  }
  const endBlocks = () => {
    endParagraph()
    endList()
  }
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    if (line.startsWith('```')) {
      if (code) html.push(`<pre><code>${escaped(code.join('\n'))}</code></pre>`)
      else endBlocks()
      code = code ? null : []
      continue
    }
    if (code) {
      code.push(line)
      continue
    }
    const block = blockOf(line)
    if (block.kind === 'text') {
      if (list) endBlocks()
      paragraph.push(block.text)
    } else if (block.kind === 'item') {
      endParagraph()
      if (list?.tag !== block.tag) endList()
      list ??= { tag: block.tag, items: [] }
      list.items.push(block.text)
    } else {
      endBlocks()
      // The page has its own first heading.
      if (block.kind === 'heading') html.push(`<h${block.level}>${inline(block.text)}</h${block.level}>`)
      if (block.kind === 'quote') html.push(`<blockquote><p>${inline(block.text)}</p></blockquote>`)
    }
  }
  if (code) html.push(`<pre><code>${escaped(code.join('\n'))}</code></pre>`)
  endBlocks()
  return html.join('\n')
}

type Block =
  | { kind: 'blank' }
  | { kind: 'text' | 'quote'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'item'; tag: 'ul' | 'ol'; text: string }

const LONGEST_NUMBER = 9

function blockOf(line: string): Block {
  const text = line.trim()
  if (text === '') return { kind: 'blank' }
  if (text.startsWith('>')) return { kind: 'quote', text: text.slice(1).trim() }
  if (/^[-*+] /.test(text)) return { kind: 'item', tag: 'ul', text: text.slice(2) }
  const number = /^\d{1,9}[.)] /.exec(text.slice(0, LONGEST_NUMBER + 2))
  if (number) return { kind: 'item', tag: 'ol', text: text.slice(number[0].length) }
  const heading = /^#{1,6} /.exec(text)
  if (heading) return { kind: 'heading', level: Math.min(heading[0].length, 6), text: text.slice(heading[0].length) }
  return { kind: 'text', text }
}

/** What opens and closes a span, the longer ones first. */
const SPANS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['*', 'em'],
  ['_', 'em'],
] as const
const DEEPEST = 3

function inline(text: string, depth = 0): string {
  let html = ''
  let plain = 0
  /** Where each mark comes next, so that the text is searched once for each. */
  const found = new Map<string, number>()
  const closing = (mark: string, from: number): number => {
    const known = found.get(mark)
    if (known !== undefined && (known === -1 || known >= from)) return known
    const at = text.indexOf(mark, from)
    found.set(mark, at)
    return at
  }
  const put = (from: number, to: number, rendered: string) => {
    html += escaped(text.slice(plain, from)) + rendered
    plain = to
  }
  for (let at = 0; at < text.length; ) {
    const span = depth < DEEPEST ? spanAt(text, at, closing, depth) : null
    if (span) put(at, span.end, span.html)
    at = span ? span.end : at + 1
  }
  return html + escaped(text.slice(plain))
}

type Closing = (mark: string, from: number) => number

function spanAt(text: string, at: number, closing: Closing, depth: number): { end: number; html: string } | null {
  const first = text[at]
  if (first === '`') {
    const end = closing('`', at + 1)
    return end > at + 1 ? { end: end + 1, html: `<code>${escaped(text.slice(at + 1, end))}</code>` } : null
  }
  if (first === '[') return linkAt(text, at, closing, depth)
  if (first !== '*' && first !== '_') return null
  const span = SPANS.find(([mark]) => text.startsWith(mark, at))!
  const [mark, tag] = span
  // An underline inside a word, as in a name, is no emphasis.
  if (first === '_' && /\w/.test(text[at - 1] ?? '')) return null
  const end = closing(mark, at + mark.length)
  if (end <= at + mark.length || /\s/.test(text[at + mark.length]!)) return null
  const inner = inline(text.slice(at + mark.length, end), depth + 1)
  return { end: end + mark.length, html: `<${tag}>${inner}</${tag}>` }
}

const LONGEST_LINK = 2_000
const LINKS = /^(https?:\/\/|mailto:)/i

function linkAt(text: string, at: number, closing: Closing, depth: number): { end: number; html: string } | null {
  const middle = closing('](', at + 1)
  const end = middle === -1 ? -1 : closing(')', middle + 2)
  if (end === -1 || end - middle > LONGEST_LINK) return null
  const target = text.slice(middle + 2, end).trim()
  if (!LINKS.test(target) || /\s/.test(target)) return null
  const label = inline(text.slice(at + 1, middle), Math.max(depth + 1, DEEPEST))
  return {
    end: end + 1,
    html: `<a href="${escaped(target)}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`,
  }
}
