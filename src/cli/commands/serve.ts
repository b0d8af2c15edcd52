import { defineCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'Run the service until it is told to stop',
  connects: false,
  details: 'Its settings are environment variables: see docs/configuration.md. SIGTERM or SIGINT stops it.',
  examples: [
    ['with a token for the API', 'MILLRACE_ADMIN_TOKEN=choose-a-long-token millrace serve'],
    ['with its own data folder', 'MILLRACE_DATA_DIR=/var/lib/millrace millrace serve'],
  ],
  async run() {
    const { serve } = await import('../serve.ts')
    await serve()
    return EXIT.ok
  },
})
