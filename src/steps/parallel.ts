import Type from 'typebox'
import { defineStep, done, failed, type StepIssue } from '../engine/step-kind.ts'
import { quoted } from '../flow/issue.ts'
import { stepList } from '../flow/schema.ts'

const Branch = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64 }), steps: stepList('beside') },
  { additionalProperties: false },
)

export const parallel = defineStep({
  kind: 'parallel',
  label: 'Parallel',
  sideBySide: true,
  takesOneWay: () => true,
  settings: Type.Object(
    {
      branches: Type.Array(Branch, { minItems: 2, maxItems: 20 }),
      finish: Type.Optional(
        Type.Union([Type.Literal('all'), Type.Literal('first')], {
          default: 'all',
          description: 'all: every branch has to succeed; first: the first that succeeds cancels the others.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ branches }) {
    const issues: StepIssue[] = []
    const names = new Set<unknown>()
    for (const [i, branch] of (Array.isArray(branches) ? branches : []).entries()) {
      const name: unknown = (branch as { name?: unknown } | null)?.name
      if (typeof name === 'string' && names.has(name))
        issues.push({
          path: `/branches/${i}/name`,
          code: 'duplicate_name',
          message: `Another branch has the name ${quoted(name)}; the branches of a step have different names.`,
        })
      names.add(name)
    }
    return issues
  },
  async run({ settings: { branches, finish }, runBranches }) {
    const { failure, ...output } = await runBranches({ branches, finish: finish ?? 'all' })
    return failure ? failed(failure, output) : done(output)
  },
})
