// The colours. One accent; green, amber and red speak of outcomes only. Each step kind has a colour of its own, for its icon: see
// step-kinds/. palette.test.ts holds all of them to AA contrast, and those of the kinds apart for color-blind people.

export const water = [
  '#ecfafc',
  '#d7f3f6',
  '#ace5eb',
  '#7ad1db',
  '#4ebbc7',
  '#22a3af',
  '#007d88',
  '#006a73',
  '#00545b',
  '#033d43',
] as const

/** Cool greys of the light scheme, from paper to ink. */
export const gray = [
  '#f8fafc',
  '#f0f4f6',
  '#e3e9eb',
  '#d3dade',
  '#bdc6c9',
  '#96a0a5',
  '#616d71',
  '#495559',
  '#313b3f',
  '#1b2326',
] as const

/** The same of the dark scheme, from ink to paper. */
export const dark = [
  '#dadfe1',
  '#b7bfc3',
  '#909a9e',
  '#6c767b',
  '#3d474b',
  '#2d363a',
  '#21292c',
  '#161d20',
  '#101619',
  '#0a0f12',
] as const

export const red = [
  '#fdf1f0',
  '#fbe0de',
  '#f6c0bc',
  '#f09a94',
  '#ff8b83',
  '#de4e4b',
  '#c8393a',
  '#b32629',
  '#97000f',
  '#6d0009',
] as const

export interface Scheme {
  /** Behind everything. */
  page: string
  /** The rail, table heads, wells. */
  sunken: string
  /** Cards and panels. */
  raised: string
  hover: string
  border: string
  /** Borders of what can be typed into. */
  control: string
  text: string
  dim: string
  accent: string
  /** Outcomes, as text and as dots. */
  ok: string
  wait: string
  bad: string
  busy: string
  idle: string
  okBack: string
  waitBack: string
  badBack: string
}

export const light: Scheme = {
  page: '#ffffff',
  sunken: gray[0],
  raised: '#ffffff',
  hover: gray[1],
  border: gray[2],
  control: gray[4],
  text: gray[9],
  dim: gray[6],
  accent: water[6],
  ok: '#197539',
  wait: '#8f5400',
  bad: '#b92a2d',
  busy: '#1a68ab',
  idle: gray[6],
  okBack: '#e7f6ea',
  waitBack: '#fdf1df',
  badBack: '#fdeceb',
}

export const night: Scheme = {
  page: dark[7],
  sunken: dark[8],
  raised: '#1b2326',
  hover: dark[6],
  border: dark[5],
  control: dark[4],
  text: dark[0],
  dim: dark[2],
  accent: water[4],
  ok: '#5cb572',
  wait: '#e4a250',
  bad: '#ff7c75',
  busy: '#6db6ff',
  idle: dark[2],
  okBack: '#16301f',
  waitBack: '#38290f',
  badBack: '#3f1d1c',
}

/** The names of the colours in styles: `waitBack` is `--mr-wait-back`. */
export const schemeVariables = (scheme: Scheme): Record<string, string> =>
  Object.fromEntries(
    Object.entries(scheme).map(([name, value]) => [
      `--mr-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      value,
    ]),
  )
