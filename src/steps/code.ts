import { parse } from 'acorn'
import Type from 'typebox'
import { CodeError } from '../engine/ports/sandbox.ts'
import { defineStep, done, failed, type StepIssue } from '../engine/step-kind.ts'
import { json } from '../flow/schema.ts'

const Settings = Type.Object(
  {
    input: Type.Optional(json('Any JSON value; the code gets it as its argument.')),
    code: Type.String({
      minLength: 1,
      maxLength: 262_144,
      description: 'JavaScript or TypeScript: export default (input) => … Templates are not filled in here.',
    }),
    timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 60, default: 5, description: 'Seconds.' })),
    memory: Type.Optional(Type.Integer({ minimum: 1, maximum: 512, default: 64, description: 'MB, from 1 to 512.' })),
  },
  { additionalProperties: false },
)

export const code = defineStep({
  kind: 'code',
  label: 'Code',
  secretFrom: ['input'],
  settings: Settings,
  check: ({ code }, mayRead) => (typeof code === 'string' && mayRead(code.length) ? checkCode(code) : []),
  async run({ settings, sandbox, log, signal }) {
    try {
      const { output, logs } = await sandbox.run({
        code: settings.code,
        input: settings.input ?? null,
        timeoutMs: (settings.timeout ?? 5) * 1000,
        memoryBytes: (settings.memory ?? 64) << 20,
        signal: signal(),
      })
      for (const line of logs) log(line)
      return done(output)
    } catch (error) {
      if (!(error instanceof CodeError)) throw error
      for (const line of error.logs) log(line)
      return failed({ code: error.code, message: error.message, hint: error.hint })
    }
  },
})

/**
 * Parses the code as JavaScript only: Node's parser of TypeScript does not survive deep nesting, so the main thread must not
 * use it. Code that may be TypeScript passes here and is checked when it runs.
 */
function checkCode(code: string): StepIssue[] {
  try {
    const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
    const exportsDefault = body.some(
      (node) =>
        node.type === 'ExportDefaultDeclaration' ||
        (node.type === 'ExportNamedDeclaration' &&
          node.specifiers.some(({ exported }) => 'name' in exported && exported.name === 'default')),
    )
    if (exportsDefault) return []
    const message = 'has no default export; write for example: export default (input) => ({ id: input.id })'
    return [{ path: '/code', code: 'code_syntax', message: `code ${message}` }]
  } catch (error) {
    if (!(error instanceof SyntaxError) || error.message.includes('stack space'))
      return [{ path: '/code', code: 'code_syntax', message: 'code is nested too deeply' }]
    const { pos, loc } = error as SyntaxError & { pos: number; loc: { line: number; column: number } }
    if (mayBeTypeScript(code, pos)) return []
    const reason = error.message.replace(/ \(\d+:\d+\)$/, '')
    return [
      { path: '/code', code: 'code_syntax', message: `code: ${reason} (line ${loc.line}, column ${loc.column + 1})` },
    ]
  }
}

/** Returns whether the error is at or just after a sign of TypeScript, where a parser of JavaScript stops. */
function mayBeTypeScript(code: string, at: number): boolean {
  const [before, after] = [code.slice(Math.max(0, at - 80), at), code.slice(at, at + 40)]
  return (
    /^\s*(?:[:<>!?@]|(?:interface|as|satisfies|is|enum|implements|private|public|protected|static|abstract|declare)\b)/.test(
      after,
    ) ||
    /(?:[?!]|(?<!=)>)\s*\(?\s*$/.test(before) ||
    /\b(?:interface|type|enum|declare|namespace|module|abstract|private|public|protected|readonly|override|accessor|implements|asserts|keyof|as|satisfies|const|static)\s*$/.test(
      before,
    )
  )
}
