import type { HttpRequestSettings } from '../../../src/flow/curl/http-settings.ts'
import type { StepDocument } from '../../../src/flow/document.ts'
import type { StepKind } from './step-kind.ts'
import { textOf } from './words.ts'

export const http: StepKind = {
  kind: 'http',
  icon: 'world',
  trailIcon: 'world',
  color: { light: '#19419d', dark: '#7bbefd' },
  guide: 'http-request',
  purpose: 'Call any API',
  describe: (step) => `${textOf(step['method']) || 'GET'} ${withoutScheme(textOf(step['url'])) || 'no URL yet'}`,
  newSettings: () => ({ method: 'GET', url: '' }),
  firstId: 'request',
  outputs: () => ['status', 'headers', 'body', 'url', 'redirects', 'durationMs'],
  sendsRequest: true,
  retryOn: { placeholder: 'network, 429, 5xx', suggestions: ['network', '429', '5xx', '4xx', '408', '503'] },
}

/** A step that sends the request. */
export const requestStep = (settings: HttpRequestSettings): StepDocument => ({
  id: 'request',
  kind: http.kind,
  ...settings,
})

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')
