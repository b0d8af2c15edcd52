import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { anchors } from '../../../../test/harness/headings.ts'

const web = resolve(import.meta.dirname, '../..')
const docs = resolve(web, '../../docs')

it('leads to pages and headings of the guide that there are', () => {
  const links = globSync('**/*.{ts,tsx}', { cwd: web }).flatMap((file) =>
    [...readFileSync(join(web, file), 'utf8').matchAll(/\b(?:guide|page)(?:=|: )["']([a-z-]+(?:#[\w-]+)?)["']/g)].map(
      ([, page]) => page!,
    ),
  )
  const pages = new Set(globSync('*.md', { cwd: docs }).map((file) => file.replace(/\.md$/, '')))
  const broken = links.filter((link) => {
    const [page, heading] = link.split('#')
    return !pages.has(page!) || (heading && !anchors(readFileSync(join(docs, `${page}.md`), 'utf8')).includes(heading))
  })
  expect(links.length).toBeGreaterThan(12)
  expect(broken).toEqual([])
})
