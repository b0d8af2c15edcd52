// The API's description as one page to read, made from the OpenAPI document: no script, nothing from elsewhere.
import { ACCESS, accessWords } from '../access/access.ts'

interface Schema {
  [keyword: string]: unknown
}

interface Media {
  schema?: Schema
  example?: unknown
}

interface Operation {
  tags?: string[]
  operationId?: string
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses?: Record<string, { description?: string; content?: Record<string, Media> }>
}

export interface Description {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

interface Call {
  method: string
  path: string
  operation: Operation
}

const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#dfe4e8,#2d353b);--soft:light-dark(#5a6770,#9aa7b0);--accent:light-dark(#0b7285,#4fc3d0);--code:light-dark(#f4f7f8,#1b2126)}
body{margin:0 auto;padding:24px;max-width:60rem;font:14px/1.5 system-ui,sans-serif;background:light-dark(#fff,#14191d);color:light-dark(#1c2328,#e4e9ec)}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:32px 0 8px;text-transform:capitalize}h3{font-size:13px;margin:16px 0 4px}
a{color:var(--accent)}p{margin:4px 0;color:var(--soft)}
nav{display:flex;gap:12px;flex-wrap:wrap;margin:12px 0;padding:8px 0;border-block:1px solid var(--line)}
details{border:1px solid var(--line);border-radius:6px;margin:6px 0}
summary{cursor:pointer;padding:8px 12px;display:flex;gap:12px;align-items:baseline;flex-wrap:wrap}
summary>span{color:var(--soft)}summary>small{margin-left:auto;color:var(--soft)}
.call{padding:0 12px 12px;border-top:1px solid var(--line)}
code,pre{font:12.5px/1.5 ui-monospace,monospace}b{font:600 12px ui-monospace,monospace;min-width:4em;color:var(--accent)}
pre{background:var(--code);border-radius:6px;padding:8px 12px;overflow:auto;max-height:32rem;margin:4px 0}
table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:4px 8px 4px 0;vertical-align:top}`

export function apiDocsPage(description: Description): string {
  const byTag = Map.groupBy(callsOf(description), ({ operation }) => operation.tags?.[0])
  const { title, version } = description.info
  const tags = description.tags ?? []
  const sections = tags.map(({ name, description: about = '' }) => {
    const calls = (byTag.get(name) ?? []).map(callSection).join('')
    return `<section id="${text(name)}"><h2>${text(name)}</h2><p>${text(about)}.</p>${calls}</section>`
  })
  const schemas = Object.entries(description.components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="schema-${text(name)}"><summary><code>${text(name)}</code></summary><div class="call">${json(schema)}</div></details>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${text(title)} API</title><style>${STYLE}</style></head><body>
<h1>${text(title)} API</h1><p>Version ${text(version)}. Send <code>Authorization: Bearer &lt;token&gt;</code>; tokens are made under Settings. The same for programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1). <a href="/">Back to Millrace</a></p>
<nav aria-label="Groups">${[...tags.map(({ name }) => name), 'schemas'].map((tag) => `<a href="#${text(tag)}">${text(tag)}</a>`).join('')}</nav>
<main>${sections.join('')}<section id="schemas"><h2>Schemas</h2>${schemas.join('')}</section></main></body></html>`
}

function callsOf({ paths = {} }: Description): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function callSection({ method, path, operation }: Call): string {
  const route = `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
  const parts: string[] = []
  if (operation.parameters?.length)
    parts.push(
      `<h3>Parameters</h3><table>${operation.parameters
        .map(
          ({ name, in: place, required, description, schema }) =>
            `<tr><td><code>${text(name)}</code></td><td>${text(place)}${required ? ', required' : ''}</td><td>${text(description ?? schema?.['description'] ?? typeOf(schema))}</td></tr>`,
        )
        .join('')}</table>`,
    )
  const { requestBody, responses = {} } = operation
  for (const [type, media] of Object.entries(requestBody?.content ?? {}))
    parts.push(`<h3>Body <code>${text(type)}</code>${requestBody?.required ? '' : ', optional'}</h3>${shown(media)}`)
  for (const [status, { content = {}, description = '' }] of Object.entries(responses)) {
    const types = Object.entries(content).map(([type, media]) => `<p><code>${text(type)}</code></p>${shown(media)}`)
    parts.push(`<h3>${text(status)}: ${text(description)}</h3>${types.join('')}`)
  }
  const access = ACCESS[route]
  const needs = access === undefined ? '' : access === 'open' ? 'open' : `needs ${accessWords(access)}`
  return `<details><summary><b>${method}</b><code>${text(path)}</code><span>${text(operation.summary ?? '')}</span><small>${needs}</small></summary><div class="call"><p><code>${text(operation.operationId)}</code></p>${parts.join('')}</div></details>`
}

const shown = ({ schema, example }: Media): string => {
  const value = typeof example === 'string' ? `<pre>${text(example)}</pre>` : json(example)
  return `${json(schema)}${example === undefined ? '' : `<p>For example</p>${value}`}`
}

const typeOf = (schema: Schema | undefined): unknown => schema?.['type'] ?? (schema?.['enum'] ? 'one of a list' : '')

const json = (schema: unknown): string =>
  `<pre>${text(JSON.stringify(schema, null, 2) ?? '').replaceAll(/&quot;#\/components\/schemas\/(\w+)&quot;/g, '&quot;<a href="#schema-$1">$1</a>&quot;')}</pre>`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const text = (value: unknown): string => String(value).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
