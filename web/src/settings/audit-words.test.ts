import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { auditDetails, auditWords } from './audit-words.ts'

it('has words for every action that the service records', () => {
  const ports = readFileSync(new URL('../../../src/operations/ports/audit.ts', import.meta.url), 'utf8')
  const declared = /export type AuditAction =([\s\S]*?)\n\n/.exec(ports)![1]!
  const actions = [...declared.matchAll(/`(\w+)\.\$\{([^}]*)\}`|'(\w+\.\w+)'/g)].flatMap(([, kind, verbs, whole]) =>
    whole ? [whole] : [...verbs!.matchAll(/'(\w+)'/g)].map(([, verb]) => `${kind}.${verb}`),
  )
  expect(actions.length).toBeGreaterThan(20)
  expect(actions.filter((action) => auditWords(action) === action.replaceAll(/[._]/g, ' '))).toEqual([])
})

it('writes small details on one line', () => {
  expect(auditDetails({ role: 'editor', from: null, ids: [1, 2] })).toBe('role: editor, ids: [1,2]')
})
