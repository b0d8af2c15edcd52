// The guide's own script: its search. Everything else of a page works without it.
import './guide.css'
import { type Found, findSections, type Section } from './find-sections.ts'

const place = document.getElementById('search')!
const input = document.createElement('input')
const list = document.createElement('ul')
let index: Promise<Section[]> | null = null
let active = -1

place.role = 'search'
input.type = 'search'
input.placeholder = 'Search the guide'
input.maxLength = 100
input.autocomplete = 'off'
input.spellcheck = false
input.role = 'combobox'
for (const [name, value] of Object.entries({
  'aria-label': 'Search the guide',
  'aria-controls': 'found',
  'aria-expanded': 'false',
  'aria-autocomplete': 'list',
}))
  input.setAttribute(name, value)
list.id = 'found'
list.role = 'listbox'
list.ariaLabel = 'Found in the guide'
list.hidden = true
place.append(input, list)
place.hidden = false

// On a phone the contents would fill the screen.
const contents = document.querySelector('nav details')
if (contents instanceof HTMLDetailsElement && matchMedia('(width < 760px)').matches) contents.open = false

/** Fetched when somebody searches. */
const load = (): Promise<Section[]> => {
  index ??= fetch(place.dataset['index']!).then((reply) => reply.json() as Promise<Section[]>)
  return index
}

async function search(): Promise<void> {
  const query = input.value
  const found = query.trim() === '' ? [] : findSections(await load(), query)
  // Somebody typed on while the index came.
  if (input.value !== query) return
  active = -1
  input.removeAttribute('aria-activedescendant')
  const nothing = query.trim() !== '' && found.length === 0
  list.replaceChildren(...(nothing ? [note('Nothing found.')] : found.map(row)))
  show(query.trim() !== '')
}

function row({ url, page, heading, excerpt }: Found, position: number): HTMLLIElement {
  const item = document.createElement('li')
  item.id = `found-${position}`
  item.role = 'option'
  const link = document.createElement('a')
  link.href = url
  link.tabIndex = -1
  for (const [name, text] of [
    ['strong', heading],
    ['small', page],
    ['span', excerpt],
  ] as const) {
    const part = document.createElement(name)
    part.textContent = text
    link.append(part)
  }
  item.append(link)
  return item
}

function note(text: string): HTMLLIElement {
  const item = document.createElement('li')
  item.className = 'note'
  item.role = 'option'
  item.ariaDisabled = 'true'
  item.textContent = text
  return item
}

function show(open: boolean): void {
  list.hidden = !open
  input.setAttribute('aria-expanded', String(open))
}

function choose(position: number): void {
  const items = [...list.querySelectorAll<HTMLLIElement>('li:not(.note)')]
  if (items.length === 0) return
  active = (position + items.length) % items.length
  for (const [i, item] of items.entries()) item.ariaSelected = String(i === active)
  items[active]!.scrollIntoView({ block: 'nearest' })
  input.setAttribute('aria-activedescendant', items[active]!.id)
}

input.addEventListener('focus', () => void load())
input.addEventListener('input', () => void search())
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    choose(event.key === 'ArrowDown' ? active + 1 : active - 1)
  } else if (event.key === 'Enter') {
    const link = list.querySelector<HTMLAnchorElement>(active < 0 ? 'a' : `#found-${active} a`)
    if (link) location.assign(link.href)
    show(false)
  } else if (event.key === 'Escape') show(false)
})
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Node) || !place.contains(event.target) || event.target instanceof HTMLAnchorElement)
    show(false)
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || document.activeElement === input) return
  event.preventDefault()
  input.focus()
})
