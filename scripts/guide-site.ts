// Renders the guide (docs/*.md) to pages that the server serves at /docs, and to the index that their search reads.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'

/** The files of the web UI's build that a page loads. */
export interface GuideAssets {
  script: string
  styles: readonly string[]
  icon: string
}

export interface GuideFile {
  /** Below /docs. */
  path: string
  content: string | Uint8Array
}

/** A part of a page that can be found, from one heading to the next. */
export interface GuideSection {
  url: string
  page: string
  heading: string
  text: string
}

interface GuidePage {
  name: string
  markdown: string
  title: string
}

/** More of a section adds nothing to a search, and to its index only bytes. */
const LONGEST_SECTION = 1500
const INDEX = 'README'
const SEARCH = 'search.json'
/** In the name of a picture that there is a dark one of: see screenshots.ts. */
const LIGHT = '-light.'

export function guideSite(root: string, assets: GuideAssets): GuideFile[] {
  const pages = readPages(root)
  const groups = groupsOf(pages.find(({ name }) => name === INDEX)!.markdown)
  const known = new Set(pages.map(({ name }) => name))
  const sections: GuideSection[] = []
  const files: GuideFile[] = pages.map((page) => {
    const { html, headings, found } = rendered(page, known)
    // The index would be found for every word.
    if (page.name !== INDEX) sections.push(...found)
    const path = page.name === INDEX ? 'index.html' : `${page.name}.html`
    return { path, content: pageHtml(page, html, headings, groups, assets) }
  })
  return [
    ...files,
    {
      path: '404.html',
      content: pageHtml({ name: '404', markdown: '', title: 'Page not found' }, MISSING, [], groups, assets),
    },
    { path: SEARCH, content: JSON.stringify(sections) },
    ...copied(root, 'docs/images', 'images', /\.(svg|png|webp)$/),
    ...copied(root, 'examples', 'examples', /\.yaml$/),
    ...copied(root, 'docs', '', /\.schema\.json$/),
  ]
}

const MISSING =
  '<h1>Page not found</h1><p>The guide has no page at this address. <a href="/docs">See what there is</a>.</p>'

function readPages(root: string): GuidePage[] {
  const names = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  const read = (file: string, name: string): GuidePage => {
    const markdown = readFileSync(join(root, file), 'utf8')
    return { name, markdown, title: plain(/^# (.+)$/m.exec(markdown)![1]!) }
  }
  return [...names.map((file) => read(join('docs', file), basename(file, '.md'))), read('CHANGELOG.md', 'changelog')]
}

const copied = (root: string, from: string, to: string, names: RegExp): GuideFile[] =>
  readdirSync(join(root, from))
    .filter((file) => names.test(file))
    .map((file) => ({ path: join(to, file), content: readFileSync(join(root, from, file)) }))

/** Returns the groups of the guide's index, each with its pages. */
function groupsOf(index: string): { title: string; pages: { name: string; title: string }[] }[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.split('\n', 1)[0]!,
      pages: [...part.matchAll(/^\d+\. \[(.+?)\]\((\S+?)\.md\)/gm)].map(([, title, name]) => ({
        name: name!,
        title: title!,
      })),
    }))
    .filter(({ pages }) => pages.length > 0)
}

interface Heading {
  id: string
  text: string
}

function rendered(page: GuidePage, known: ReadonlySet<string>) {
  const headings: Heading[] = []
  const found: GuideSection[] = []
  const ids = new Map<string, number>()
  const address = addressOf(page.name)
  let section: GuideSection = { url: address, page: page.title, heading: page.title, text: '' }
  found.push(section)
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = uniqueId(anchorOf(text), ids)
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1>${inner}</h1>\n`
        if (depth === 2) headings.push({ id, text: plain(text) })
        return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = linkTarget(href, known)
        return target === null ? inner : `<a href="${escaped(target)}">${inner}</a>`
      },
      image: ({ href, text }) => {
        const image = `<img src="/docs/${escaped(href)}" alt="${escaped(text)}" loading="lazy">`
        if (!href.includes(LIGHT)) return image
        const dark = `/docs/${escaped(href.replace(LIGHT, '-dark.'))}`
        return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">${image}</picture>`
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const head = token.header.some(({ text }) => text !== '')
          ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>`
          : ''
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${rows}</tbody></table></div>\n`
      },
      code: ({ text, lang }) =>
        `<pre tabindex="0"${lang ? ` data-language="${escaped(lang)}"` : ''}><code>${escaped(text)}</code></pre>\n`,
      // Placeholders such as <token> are text; comments are for those who edit the page.
      html: ({ text }) => (text.startsWith('<!--') ? '' : escaped(text)),
    },
  })
  const tokens = marked.lexer(page.markdown)
  const seen = new Map<string, number>()
  for (const token of tokens) {
    if (token.type === 'heading' && token['depth'] > 1) {
      const id = uniqueId(anchorOf(token['text'] as string), seen)
      section = { url: `${address}#${id}`, page: page.title, heading: plain(token['text'] as string), text: '' }
      found.push(section)
    } else if (token.type === 'heading') uniqueId(anchorOf(token['text'] as string), seen)
    else section.text = `${section.text} ${textOf(token)}`.trim().slice(0, LONGEST_SECTION)
  }
  return { html: marked.parser(tokens), headings, found }
}

function textOf(token: Token): string {
  if (token.type === 'html' || token.type === 'hr') return ''
  if (token.type === 'table') {
    const table = token as Tokens.Table
    return [table.header, ...table.rows].flatMap((row) => row.map(({ text }) => plain(text))).join(' ')
  }
  return token.type === 'code' ? (token as Tokens.Code).text : plain(token.raw)
}

/** Markdown as text: without its marks, on one line. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*\\]|^\s*[-#>]+ /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The anchor that GitHub makes for a heading: the pages link to each other by it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

function uniqueId(id: string, ids: Map<string, number>): string {
  const count = ids.get(id) ?? 0
  ids.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

const addressOf = (name: string): string => (name === INDEX ? '/docs' : `/docs/${name}`)

/** Returns null for what only the sources have. */
function linkTarget(href: string, known: ReadonlySet<string>): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href
  const [, file, anchor = ''] = /^([^#]*)(#.*)?$/.exec(href)!
  if (file === '../CHANGELOG.md') return '/docs/changelog'
  if (/^\.\.\/examples\/[\w.-]+\.yaml$/.test(file!)) return `/docs/${file!.slice(3)}`
  if (/^[\w-]+\.schema\.json$/.test(file!)) return `/docs/${file}`
  const page = /^(?:docs\/)?([\w-]+)\.md$/.exec(file!)?.[1]
  return page !== undefined && known.has(page) ? `${addressOf(page)}${anchor}` : null
}

function pageHtml(
  page: GuidePage,
  html: string,
  headings: readonly Heading[],
  groups: ReturnType<typeof groupsOf>,
  { script, styles, icon }: GuideAssets,
): string {
  const title = page.name === INDEX ? 'Millrace guide' : `${page.title} – Millrace guide`
  const navigation = groups
    .map(({ title: group, pages }) => {
      const items = pages.map(
        ({ name, title: text }) =>
          `<li><a href="${addressOf(name)}"${name === page.name ? ' aria-current="page"' : ''}>${escaped(text)}</a></li>`,
      )
      return `<h2>${escaped(group)}</h2><ul>${items.join('')}</ul>`
    })
    .join('')
  const onPage =
    headings.length < 2
      ? ''
      : `<aside aria-label="On this page"><h2>On this page</h2><ul>${headings
          .map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`)
          .join('')}</ul></aside>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<script src="/color-scheme.js"></script>
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="/docs"><img src="${icon}" width="22" height="22" alt="">Millrace guide</a>
<div id="search" data-index="/docs/${SEARCH}" hidden></div>
<a class="app" href="/">Open Millrace</a></header>
<div class="columns">
<nav aria-label="Guide"><details open><summary>Contents</summary>${navigation}</details></nav>
<main id="content">${html}</main>
${onPage}
</div>
</body>
</html>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
