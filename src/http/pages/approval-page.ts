// The page of an approval: works without scripts, on a phone, in light and dark. Only its form answers; looking at it does not.
import { randomBytes } from 'node:crypto'
import type { CompiledApproval } from '../../flow/callbacks/compile.ts'
import { formName } from '../../operations/callbacks/approvals.ts'
import { escaped, renderMarkdown } from './markdown.ts'

export type ApprovalPage =
  | { state: 'early' }
  | {
      state: 'open'
      flow: string
      title: string
      text: string
      expiresAt: number
      approval: CompiledApproval
      problem?: string
    }
  | { state: 'signIn'; url: string }
  | { state: 'forbidden' }
  | { state: 'answered'; flow: string; title: string; answer: string; at: number; by: string | null }
  | { state: 'closed' }
  | { state: 'missing' }

export interface RenderedPage {
  html: string
  headers: string[]
}

const RELOAD_SECONDS = 5

export function renderApproval(page: ApprovalPage): RenderedPage {
  const nonce = randomBytes(16).toString('base64')
  const { title, body } = contentOf(page)
  const reload = page.state === 'early' ? `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">` : ''
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${reload}<title>${escaped(title)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
    headers: [
      'content-type',
      'text/html; charset=utf-8',
      'content-security-policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      'x-frame-options',
      'DENY',
      // The URL is the key to the answer: no other site gets it. The form itself has to say where it comes from.
      'referrer-policy',
      'same-origin',
      'cache-control',
      'no-store',
      'x-content-type-options',
      'nosniff',
    ],
  }
}

function contentOf(page: ApprovalPage): { title: string; body: string } {
  const plain = (title: string, text: string) => ({ title, body: `<h1>${escaped(title)}</h1>\n<p>${text}</p>` })
  switch (page.state) {
    case 'early':
      return plain('Not yet open', 'The run has not come this far. This page looks again by itself.')
    case 'signIn':
      return plain(
        'Sign in to answer',
        `This question is for users of Millrace. <a href="${escaped(page.url)}">Sign in</a>, and you come back to it.`,
      )
    case 'forbidden':
      return plain(
        'Not for you to answer',
        'Only users who may answer approvals, such as editors and owners, can answer this.',
      )
    case 'closed':
      return plain('Closed', 'Nobody can answer this any more: the time is over, or the run has ended.')
    case 'missing':
      return plain('Nothing here', 'There is no question at this URL. It may have been given a new one.')
    case 'answered': {
      const by = page.by === null ? '' : `, by ${escaped(page.by)}`
      return {
        title: page.title,
        body: `<p class="flow">${escaped(page.flow)}</p>
<h1>${escaped(page.title)}</h1>
<p class="answered">Answered: <strong>${escaped(page.answer)}</strong>, ${timeOf(page.at)}${by}</p>`,
      }
    }
    case 'open':
      return { title: page.title, body: formOf(page) }
  }
}

function formOf({ flow, title, text, expiresAt, approval, problem }: ApprovalPage & { state: 'open' }): string {
  const fault = problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>\n`
  const buttons = approval.answers.map(
    (answer, i) =>
      `<button name="answer" value="${escaped(answer)}"${i === 0 ? ' class="first"' : ''}>${escaped(answer)}</button>`,
  )
  return `<p class="flow">${escaped(flow)}</p>
<h1>${escaped(title)}</h1>
<div class="text">${renderMarkdown(text)}</div>
${fault}<form method="post">
${approval.fields.map(inputOf).join('\n')}
<div class="answers">
${buttons.join('\n')}
</div>
</form>
<p class="end">Open until ${timeOf(expiresAt)}</p>`
}

function inputOf({ name, label, type, required }: CompiledApproval['fields'][number]): string {
  const id = `f-${name}`
  const attributes = `id="${id}" name="${escaped(formName(name))}"${required ? ' required' : ''}`
  const text = `${escaped(label)}${required ? ' <span class="needed">(required)</span>' : ''}`
  if (type === 'boolean')
    return `<p class="box"><input type="checkbox" value="true" id="${id}" name="${escaped(formName(name))}"> <label for="${id}">${escaped(label)}</label></p>`
  const input =
    type === 'number'
      ? `<input type="number" step="any" ${attributes}>`
      : `<textarea rows="2" ${attributes}></textarea>`
  return `<p><label for="${id}">${text}</label>${input}</p>`
}

/** In UTC: the server does not know where its reader is. */
function timeOf(ms: number): string {
  const iso = new Date(ms).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 10)}, ${iso.slice(11, 16)} UTC</time>`
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f9fbfc; --card: #ffffff; --ink: #1b2326; --dim: #55606e; --line: #d3dadd;
  --first: #007a84; --on-first: #ffffff; --fault: #a31621 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #101719; --card: #1a2225; --ink: #e3e9eb; --dim: #a5b0b5; --line: #3a464a;
    --first: #4cc0cb; --on-first: #0b1517; --fault: #ff9a9f }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif }
main { max-width: 36rem; margin: 2rem auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere }
@media (max-width: 40rem) { main { margin: 0; border-width: 0; border-radius: 0; min-height: 100vh } }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
.flow, .end, .needed { color: var(--dim); font-size: .9375rem }
.flow { margin: 0 0 .5rem }
a { color: var(--first) }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line) }
label { display: block; font-weight: 600; margin-bottom: .25rem }
.box label { display: inline; font-weight: 400 }
textarea, input[type=number] { width: 100%; padding: .5rem .625rem; font: inherit; color: inherit; background: var(--ground);
  border: 1px solid var(--dim); border-radius: .5rem }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; vertical-align: middle }
.answers { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 }
button { flex: 1 1 8rem; min-height: 3rem; padding: .5rem 1rem; font: inherit; font-weight: 600; color: var(--ink);
  background: var(--card); border: 2px solid var(--dim); border-radius: .5rem; cursor: pointer }
button.first { color: var(--on-first); background: var(--first); border-color: var(--first) }
:focus-visible { outline: 3px solid var(--first); outline-offset: 2px }
.problem { color: var(--fault); font-weight: 600 }
`
