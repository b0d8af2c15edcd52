// The files that came with the samples of a flow, which tests can read.
import type { FlowServices } from '../services.ts'

type Services = Pick<FlowServices, 'files' | 'samples'>

/** Returns the ids of the samples. */
export async function sampleIds({ samples }: Pick<Services, 'samples'>, flowId: string): Promise<string[]> {
  return (await samples.list(flowId, 0)).map(({ id }) => id)
}

/** Returns those of the files that came with a sample. */
export async function sampledFiles(services: Services, flowId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const found = new Set<string>()
  for (const owner of [flowId, ...(await sampleIds(services, flowId))])
    for (const id of await services.files.usedBy(owner, ids)) found.add(id)
  return [...found]
}
