// Reads the metrics as Prometheus does.
import { type Client, TOKEN } from './millrace.ts'

/** Returns values by sample, such as `up{role="web"}`. */
export async function scrape({ url }: Pick<Client, 'url'>): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  if (response.status !== 200) throw new Error(`metrics: ${response.status}`)
  const samples = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}
