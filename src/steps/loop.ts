import Type from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { defineStep, done, failed, type StepIssue } from '../engine/step-kind.ts'
import { hasTemplate } from '../flow/check.ts'
import { json, roundCondition, roundTree, stepList } from '../flow/schema.ts'

export const loop = defineStep({
  kind: 'loop',
  label: 'Loop',
  secretFrom: ['each', 'collect'],
  settings: Type.Object(
    {
      each: Type.Optional(json('The list to loop over.')),
      while: Type.Optional(roundCondition()),
      steps: stepList('rounds'),
      collect: Type.Optional(roundTree('The entry of each round in results.')),
      concurrency: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'How many rounds run at once, with each.' }),
      ),
      max: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1000, description: 'The most rounds, with while.' }),
      ),
    },
    { additionalProperties: false },
  ),
  check(settings) {
    const { each, concurrency, max } = settings
    const issues: StepIssue[] = []
    if (each === undefined && settings['while'] === undefined)
      issues.push({
        path: '/each',
        code: 'missing',
        message: 'A loop needs each, a list to loop over, or while, a condition.',
      })
    if (each !== undefined && settings['while'] !== undefined)
      issues.push({ path: '/while', code: 'conflicting', message: 'A loop has either each or while, not both.' })
    if (each !== undefined && !Array.isArray(each) && !(typeof each === 'string' && hasTemplate(each)))
      issues.push({
        path: '/each',
        code: 'wrong_type',
        message: 'each must be a list, or a {{ template }} that gives one.',
      })
    if (concurrency !== undefined && settings['while'] !== undefined)
      issues.push({
        path: '/concurrency',
        code: 'conflicting',
        message: 'Rounds of while run one after the other; remove concurrency.',
      })
    if (max !== undefined && each !== undefined)
      issues.push({ path: '/max', code: 'conflicting', message: 'max belongs to while; a list has its own end.' })
    return issues
  },
  async run({ settings: { each, while: holds, steps, collect, concurrency, max }, showInput, runRounds }) {
    if (each !== undefined && !Array.isArray(each))
      return failed({
        code: CODE.expression_failed,
        message: `each must give a list, but gives ${each === null ? 'null' : typeof each}`,
        hint: 'Point it at a list, for example {{ steps.page.body.items }}.',
      })
    showInput(each ? { count: each.length } : {})
    const { failure, ...output } = await runRounds({
      steps,
      items: each ?? null,
      holds: holds ?? null,
      collect: collect ?? null,
      concurrency: concurrency ?? 1,
      max: max ?? 1000,
    })
    return failure ? failed(failure, output) : done(output)
  },
})
