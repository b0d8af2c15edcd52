// `millrace users reset-password`: works on the data folder, whether the service runs or not, for anyone who can write to it.
import { randomBytes } from 'node:crypto'
import { CODE } from '../../../base/error-catalogue.ts'
import { defineCommand, text } from '../../command.ts'
import { CliError, EXIT } from '../../exit-code.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export const resetUserPassword = defineCommand({
  name: 'users reset-password',
  summary: 'Set a new password for a user and end the sessions of that user',
  args: ['<email>'],
  options: { 'data-dir': text('folder', 'the data folder; by default MILLRACE_DATA_DIR') },
  connects: false,
  details:
    'The command asks for the new password, or reads the first line of stdin; if that is empty, it makes a password and\nprints it. Anyone who can write to the data folder may do this, whether the service runs or not.',
  examples: [
    ['the command asks for the password', 'millrace users reset-password ada@example.com'],
    ['from a script', 'printf \'%s\\n\' "$NEW_PASSWORD" | millrace users reset-password ada@example.com'],
  ],
  async run({ args, options, terminal, show, settings }) {
    const email = args[0]!
    const config = settings.service()
    const typed = await passwordFrom(terminal, email)
    const password = typed === '' ? randomBytes(15).toString('base64url') : typed
    const { resetPassword } = await import('../../../app/sign-in/repair-users.ts')
    try {
      await resetPassword({ ...config, dataDir: options['data-dir'] ?? config.dataDir }, email, password)
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      const exit = code === CODE.not_found ? EXIT.notFound : EXIT.failed
      throw new CliError(exit, code ?? 'refused', `The password was not changed: ${message}`)
    }
    return show({ email, ...(typed === '' ? { password } : {}) }, () =>
      [
        `${email} has a new password. All sessions of this user have ended.`,
        ...(typed === '' ? [`The password is: ${password}`] : []),
      ].join('\n'),
    )
  },
})

async function passwordFrom(terminal: Terminal, email: string): Promise<string> {
  if (terminal.isInteractive)
    return terminal.askSecret(`New password of ${email} (leave it empty to get a generated one)`)
  return (await terminal.readStdin()).toString().split(/\r?\n/, 1)[0]!
}
