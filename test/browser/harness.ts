// Starts a Millrace with its web UI, and a real browser to use it with.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { buildUi } from '../../scripts/build.mjs'
import { findChromium, HOW_TO } from '../../scripts/chromium.mjs'
import '../harness/exit-on-sigterm.ts'
import { freePort } from '../harness/free-port.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

const LOCATOR_TIMEOUT_MS = 40_000

export const OWNER = { email: 'ada@example.com', name: 'Ada Byron', password: 'heron lamp granite tide' }

export interface Ui {
  millrace: Millrace
  /** The base URL, where the UI has to be opened: changes are accepted from its own pages only. */
  url: string
  /** Returns the code of the set-up link in the log. */
  setupCode(): string
  /** Opens a new browser that is not signed in. */
  visitor(options?: BrowserContextOptions): Promise<Page>
  /** Opens a new browser that is signed in as the owner, who is created if there is none yet. */
  owner(options?: BrowserContextOptions): Promise<Page>
  stop(): Promise<void>
}

/** `reached`: the origins of other servers that the browser is sent to. */
export async function startUi(environment: Record<string, string> = {}, reached: readonly string[] = []): Promise<Ui> {
  if (!buildUi()) throw new Error('The web UI could not be built; see above.')
  const browser = await openBrowser()
  const port = Number(environment['MILLRACE_PORT'] ?? (await freePort()))
  const millrace = await startMillrace({ MILLRACE_PORT: String(port), ...environment })
  const url = `http://localhost:${port}`
  const contexts: BrowserContext[] = []
  const strangers: string[] = []
  const faults: string[] = []

  const visitor = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    })
    contexts.push(context)
    context.setDefaultTimeout(LOCATOR_TIMEOUT_MS)
    const page = await context.newPage()
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (/^(data|blob|about):/.test(protocol) || origin === url || reached.includes(origin)) return
      // Another server's page fetches what it likes.
      if (request.isNavigationRequest() || !reached.includes(new URL(request.frame().url()).origin))
        strangers.push(request.url())
    })
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        faults.push(message.text())
    })
    return page
  }
  const setupCode = () => /\/setup#code=([\w-]+)/.exec(millrace.log())![1]!

  let made = false
  return {
    millrace,
    url,
    setupCode,
    visitor,
    async owner(options) {
      const page = await visitor(options)
      const { request } = page.context()
      const headers = { origin: url }
      const answer = made
        ? await request.post('/api/auth/sign-in/email', {
            headers,
            data: { email: OWNER.email, password: OWNER.password },
          })
        : await request.post('/api/auth/setup', { headers, data: { code: setupCode(), ...OWNER } })
      if (!answer.ok()) throw new Error(`The owner could not sign in: ${await answer.text()}`)
      made = true
      return page
    },
    async stop() {
      for (const context of contexts) await context.close()
      await millrace.stop()
      expect(strangers, 'requests to other hosts').toEqual([])
      expect(faults, 'errors in the browser').toEqual([])
    },
  }
}

let browser: Promise<Browser> | null = null

/** Returns the browser of this process, which all files use: each context is to Millrace a browser of its own. */
async function openBrowser(): Promise<Browser> {
  if (browser && !(await browser).isConnected()) browser = null
  browser ??= launchBrowser()
  return browser
}

/** Launches a browser that ends with this process. */
async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error(HOW_TO)
  return chromium.launch({
    executablePath,
    // Playwright would close the browser and let the process live.
    handleSIGTERM: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-dev-shm-usage',
    ],
  })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/**
 * Resolves when nothing on the page is being faded or moved: half-way in, a dialog has the contrast of no colour
 * that we chose. Three quiet frames in a row, as a dialog is there for two before its movement begins.
 */
const AT_REST = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const ends = (animation) => animation.playState === 'running' && animation.effect.getComputedTiming().endTime < Infinity
  for (let quiet = 0; quiet < 3; quiet++) {
    await frame()
    const moving = document.getAnimations().filter(ends)
    if (moving.length) quiet = -1
    await Promise.allSettled(moving.map(({ finished }) => finished))
  }
})()`

/** Expects no serious fault of accessibility on the page as it is; `rule`: checks this one only. */
export async function expectAccessible(page: Page, rule?: string): Promise<void> {
  await page.evaluate(AT_REST)
  // Half a megabyte, which takes as long on its way as a check.
  if (await page.evaluate('!window.axe')) await page.evaluate(`(() => { ${axe}\n })()`)
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...(rule && { runOnly: [rule] }) })
  const violations: Violation[] = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(
    serious.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)),
  ).toEqual([])
}
