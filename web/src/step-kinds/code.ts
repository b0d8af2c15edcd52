import type { StepKind } from './step-kind.ts'
import { textOf } from './words.ts'

export const code: StepKind = {
  kind: 'code',
  icon: 'code',
  trailIcon: 'code',
  color: { light: '#665cb2', dark: '#818dc3' },
  guide: 'code',
  purpose: 'Run JavaScript or TypeScript',
  describe: (step) => firstLine(textOf(step['code'])),
  newSettings: () => ({ input: {}, code: 'export default (input) => {\n  return input\n}\n' }),
  literals: ['code'],
}

const firstLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('//') && !line.startsWith('import ')) ?? 'no code yet'
