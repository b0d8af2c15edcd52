import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileStrict } from '../../test/harness/strict-schema.ts'
import { stepKinds } from '../steps/index.ts'
import { fixtureSchema } from './fixture.ts'
import { editorSchema, flowSchema } from './flow-schema.ts'
import { parseFlowText } from './flow-text.ts'

const root = `${import.meta.dirname}/../..`
const published = () => compileStrict(editorSchema(flowSchema(stepKinds)))
const document = (step: object) => ({ name: 'x', trigger: { kind: 'webhook' }, steps: [{ id: 'a', ...step }] })

describe('the published schema', () => {
  it('is taken by strict validators, as is that of tests', () => {
    expect(published).not.toThrow()
    expect(() => compileStrict(fixtureSchema())).not.toThrow()
  })

  it('takes every example', () => {
    const issuesOf = published()
    for (const file of globSync('examples/*.yaml', { cwd: root, exclude: ['**/*.test.yaml'] }))
      expect(issuesOf(parseFlowText(readFileSync(`${root}/${file}`, 'utf8'))), file).toEqual([])
  })

  it('holds a setting of several types to what is said of each', () => {
    const issuesOf = published()
    const request = { kind: 'http', method: 'GET', url: 'https://api.example.com' }
    for (const on of [['5xx', 429], ['network']]) expect(issuesOf(document({ ...request, retry: { on } }))).toEqual([])
    for (const on of [[42], ['6xx'], [true]]) expect(issuesOf(document({ ...request, retry: { on } }))).not.toEqual([])
    for (const name of ['X-A', 7, true])
      expect(issuesOf(document({ ...request, headers: [{ name, value: '' }] }))).toEqual([])
    for (const name of ['', null, {}])
      expect(issuesOf(document({ ...request, headers: [{ name, value: '' }] }))).not.toEqual([])
  })
})
