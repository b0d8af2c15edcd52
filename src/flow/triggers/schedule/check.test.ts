import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stepKinds } from '../../../steps/index.ts'
import { validate } from '../../validate/validate.ts'
import { CronPattern } from './cron-pattern.ts'
import { smallestGap } from './spacing.ts'

const NOW = Date.UTC(2027, 0, 1)

function found(trigger: object, steps: object[] = []) {
  const document = { name: 'Nightly', trigger: { kind: 'schedule', ...trigger }, steps }
  return validate(document, stepKinds, { connections: new Map(), env: new Set(), config: new Set(), now: NOW }).map(
    ({ path, code, message, weight }) => ({ path, code, message, weight }),
  )
}

const codes = (trigger: object) => found(trigger).map(({ path, code }) => `${path} ${code}`)

it.each([
  ['61 * * * *', 'the minute is a number from 0 to 59 (at character 1)'],
  ['0 24 * * *', 'the hour is a number from 0 to 23 (at character 3)'],
  ['0 7 1x * *', 'the day of month is a number from 1 to 31 (at character 6)'],
  ['0 7 ? * *', 'the day of month is a number from 1 to 31 (at character 5)'],
  ['0 7 15W * *', 'the day of month is a number from 1 to 31 (at character 7)'],
  ['0 7 * FOO *', 'the month is a number from 1 to 12 or a name such as FEB (at character 7)'],
  ['0 7 * * 1-MUN', 'the weekday is a number from 0 to 7 or a name such as MON (at character 11)'],
  ['0 7 * * 1#6', 'the weekday needs a number from 1 to 5 after # (at character 11)'],
  ['5/15 * * * *', 'the minute has a step after a number; write */n or a-b/n (at character 2)'],
  ['0 9-5 * * *', 'the hour has a range whose end comes before its start (at character 3)'],
  ['*/0 * * * *', 'the minute needs a step from 1 to 59 after / (at character 3)'],
  ['@daily', 'a pattern has five fields, or six with seconds first; this one has 1 (at character 7)'],
  ['0 0 7 * * 1 2027', 'a pattern has five fields, or six with seconds first; this one has 7 (at character 13)'],
  ['0,,5 7 * * *', 'the minute is a number from 0 to 59 (at character 3)'],
])('says which field of %s is wrong, and at which character', (cron, problem) => {
  expect(found({ cron })).toMatchObject([{ path: '/trigger/cron', code: 'invalid_cron', weight: 'publish' }])
  expect(found({ cron })[0]!.message).toContain(problem)
})

it('refuses a pattern that never comes, also as one of a list', () => {
  expect(codes({ cron: '0 0 31 2 *' })).toEqual(['/trigger/cron never_fires'])
  expect(codes({ cron: ['0 0 * * *', '0 0 31 4,6,9,11 *'] })).toEqual(['/trigger/cron/1 never_fires'])
  // A day of month and a weekday combine by OR.
  expect(codes({ cron: '0 0 31 2 1' })).toEqual([])
  expect(codes({ cron: '0 0 29 2 *' })).toEqual([])
})

it('refuses times of the whole list that are less than 10 s apart', () => {
  expect(codes({ cron: '*/5 * * * * *' })).toEqual(['/trigger/cron too_frequent'])
  expect(codes({ cron: '*/10 * * * * *' })).toEqual([])
  // From the end of a minute, an hour and a day to the next.
  expect(codes({ cron: '0,55 * * * * *' })).toEqual(['/trigger/cron too_frequent'])
  expect(codes({ cron: '0,55 30 * * * *' })).toEqual([])
  expect(codes({ cron: ['55 59 23 31 12 *', '0 0 0 1 1 *'] })).toEqual(['/trigger/cron too_frequent'])
  expect(codes({ cron: ['55 59 23 31 12 *', '0 0 0 2 1 *'] })).toEqual([])
  // On the same day or not.
  expect(codes({ cron: ['0 0 7 * * 1', '5 0 7 * * 2'] })).toEqual([])
  expect(codes({ cron: ['0 0 7 * * 1', '5 0 7 13 * *'] })).toEqual(['/trigger/cron too_frequent'])
  // The same time twice is one.
  expect(codes({ cron: ['0 0 7 * * 1', '0 0 7 * * *'] })).toEqual([])
})

it('finds the same smallest gap as listing all times of 28 years', () => {
  const some = (least: number, most: number) =>
    fc
      .uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 2 })
      .map((numbers) => numbers.join(','))
  const days = fc.constantFrom('1', '31', 'L', '15,L', '*', '29')
  const weekdays = fc.constantFrom('*', '*', '1', '0,6', '1#5', '5L')
  const pattern = fc
    .tuple(some(0, 59), some(0, 59), fc.oneof(some(0, 23), fc.constant('0,23')), days, some(1, 12), weekdays)
    .map((fields) => fields.join(' '))
  const listed = (cron: readonly string[]): number => {
    const times = new Set<number>()
    for (const one of cron.map((source) => new CronPattern(source)))
      for (let at = one.next(Date.UTC(2001, 0, 1) - 1000); at !== null && at < Date.UTC(2029, 0, 2); at = one.next(at))
        times.add(at)
    const sorted = [...times].toSorted((a, b) => a - b)
    return sorted.reduce((least, at, i) => (i ? Math.min(least, (at - sorted[i - 1]!) / 1000) : least), 86_400)
  }
  const check = fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), (cron) => {
    const found = smallestGap(
      cron.map((source) => new CronPattern(source)),
      0,
    )
    expect({ cron, found }).toEqual({ cron, found: listed(cron) })
  })
  fc.assert(check, { numRuns: 12, seed: 20 })
})

it('holds the jitter below the smallest gap', () => {
  expect(codes({ every: 60, jitter: 60 })).toEqual(['/trigger/jitter out_of_range'])
  expect(codes({ every: 60, jitter: 59 })).toEqual([])
  expect(codes({ cron: '*/5 * * * *', jitter: 300 })).toEqual(['/trigger/jitter out_of_range'])
  expect(codes({ cron: ['0 7 * * *', '59 7 * * *'], jitter: 3_540 })).toEqual(['/trigger/jitter out_of_range'])
  expect(codes({ cron: '0 * * * *', jitter: 3_599 })).toEqual([])
})

it('refuses unknown zones, both or none of cron and every, and expressions in the input', () => {
  expect(codes({ every: 60, timezone: 'Mars/Olympus' })).toEqual(['/trigger/timezone unknown_timezone'])
  expect(codes({ every: 60, timezone: '+02:00' })).toEqual(['/trigger/timezone unknown_timezone'])
  expect(codes({ every: 60, cron: '0 7 * * *' })).toEqual(['/trigger/every conflicting'])
  expect(codes({})).toEqual(['/trigger/cron missing'])
  expect(codes({ every: 60, input: { a: ['{{ now() }}'] } })).toEqual(['/trigger/input invalid_format'])
  expect(codes({ every: 9 })).toEqual(['/trigger/every out_of_range'])
})

it('warns of a fixed time that the clocks skip or repeat within a year, and says when', () => {
  const [gap, ...more] = found({ cron: '30 2 * * *', timezone: 'Europe/Berlin' })
  expect(more).toEqual([])
  expect(gap).toMatchObject({ path: '/trigger/cron', code: 'unusual_time', weight: 'warning' })
  expect(gap!.message).toContain('2027-03-28 02:30 in Europe/Berlin')
  expect(gap!.message).toContain('2027-03-28T01:00:00Z')
  const [twice] = found({ cron: '30 2 * 10 *', timezone: 'Europe/Berlin' })
  expect(twice!.message).toContain('comes twice')
  expect(twice!.message).toContain('2027-10-31T00:30:00Z')
  expect(codes({ cron: '30 * * * *', timezone: 'Europe/Berlin' })).toEqual([])
  expect(codes({ cron: '30 2 * 7 *', timezone: 'Europe/Berlin' })).toEqual([])
})

it('offers schedule to templates, and says which trigger offers what it does not', () => {
  const step = (value: string) => [{ id: 'a', kind: 'set', vars: { v: value } }]
  expect(found({ every: 60 }, step('{{ schedule.at }} {{ schedule.input.report }}'))).toEqual([])
  expect(found({ every: 60 }, step('{{ webhook.body }}'))).toMatchObject([
    { code: 'unknown_reference', message: expect.stringContaining('trigger has the kind webhook') },
  ])
})
