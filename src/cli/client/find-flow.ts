// A flow by its id, its slug or its name.
import { CODE } from '../../base/error-catalogue.ts'
import { nearest } from '../../flow/issue.ts'
import { CliError, EXIT } from '../exit-code.ts'
import type { ApiClient } from './api-client.ts'
import type { Flow } from './bodies.ts'

const SLUG = /^[a-z0-9-]{1,64}$/

/** Returns what an API takes as the flows and tags that something is for; nothing if there are none of either. */
export async function limitFrom(
  api: ApiClient,
  { flow, tag }: { flow: string[]; tag: string[] },
): Promise<{ flows?: string[]; tags?: string[] }> {
  if (flow.length === 0 && tag.length === 0) return {}
  const found = await Promise.all(flow.map((one) => findFlow(api, one)))
  return { flows: found.map(({ id }) => id), tags: tag }
}

export async function findFlow(api: ApiClient, idOrName: string): Promise<Flow> {
  if (/^flow_[0-9a-z]{26}$/.test(idOrName)) return api.get<Flow>(`/flows/${idOrName}`)
  const bySlug = SLUG.test(idOrName) ? await api.send('GET', `/api/v1/flows/${idOrName}`, {}) : null
  if (bySlug?.ok) return (await bySlug.json()) as Flow
  const named = await api.list<Flow>(`/flows?q=${encodeURIComponent(idOrName)}`)
  const exact = named.filter(({ name }) => name === idOrName)
  if (exact.length === 1) return exact[0]!
  if (exact.length > 1)
    throw new CliError(
      EXIT.conflict,
      'ambiguous',
      `${exact.length} flows have the name "${idOrName}"; give the id of one:`,
      exact.map(({ id }) => id),
    )
  const meant = nearest(idOrName, named.length ? named.map(({ name }) => name) : await namesOf(api))
  throw new CliError(
    EXIT.notFound,
    CODE.not_found,
    `There is no flow "${idOrName}".${meant ? ` Did you mean "${meant}"?` : ''}`,
  )
}

const namesOf = async (api: ApiClient): Promise<string[]> => (await api.list<Flow>('/flows')).map(({ name }) => name)
