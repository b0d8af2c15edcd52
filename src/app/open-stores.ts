// Opens the database and all stores in it.

import { randomBytes } from 'node:crypto'
import { hostsOf } from '../base/normal-message.ts'
import { DatabaseRefused } from '../base/refusals.ts'
import { createIds } from '../engine/ids.ts'
import { StorageUnavailable } from '../engine/ports/storage-unavailable.ts'
import type { RunStore } from '../operations/ports/runs.ts'
import type { FileKeeping } from '../operations/ports/upkeep.ts'
import { openVault } from '../secrets/open-vault.ts'
import type { Redactor } from '../secrets/redactor.ts'
import { createProtect, createSecrets } from '../secrets/secret-keeping.ts'
import { createFileRows } from '../storage/files/file-rows.ts'
import { createFileStore } from '../storage/files/file-store.ts'
import { createCauseOf } from '../storage/rows/failures/causes.ts'
import { createIdentityStore, createLogoutTokens } from '../storage/stores/access/identity-store.ts'
import { createRoleStore } from '../storage/stores/access/role-store.ts'
import { createSecondFactorStore } from '../storage/stores/access/second-factor-store.ts'
import { createAlertStore } from '../storage/stores/alerts/alert-store.ts'
import { createSettingStore } from '../storage/stores/alerts/setting-store.ts'
import { announcedConnections, announcedGrants } from '../storage/stores/announced-stores.ts'
import { createAuditChains, createAuditDestinations } from '../storage/stores/audit/audit-chains.ts'
import { createAuditStore } from '../storage/stores/audit/audit-store.ts'
import { createAuthorizationRequestStore } from '../storage/stores/authorization-request-store.ts'
import { createCallbackStore } from '../storage/stores/callbacks/callback-store.ts'
import { createConnectionStore } from '../storage/stores/connection-store.ts'
import { createDeliveryStore } from '../storage/stores/delivery-store.ts'
import { createFailureStore } from '../storage/stores/failures/failure-store.ts'
import { createReplayStore } from '../storage/stores/failures/replay-store.ts'
import { createFlowSourceStore } from '../storage/stores/flow-source-store.ts'
import { createFlowStore } from '../storage/stores/flow-store.ts'
import { createGrantStore } from '../storage/stores/grant-store.ts'
import { createHousekeeping } from '../storage/stores/housekeeping.ts'
import { createInvitationStore } from '../storage/stores/invitation-store.ts'
import { createErasing } from '../storage/stores/retention/erasing.ts'
import { createRunStore } from '../storage/stores/run-store.ts'
import { createSampleStore } from '../storage/stores/sample-store.ts'
import { createScheduleStore } from '../storage/stores/schedule-store.ts'
import { createSessionStore } from '../storage/stores/session-store.ts'
import { createStatsStore } from '../storage/stores/stats-store.ts'
import { createTokenStore } from '../storage/stores/token-store.ts'
import { createUserStore } from '../storage/stores/user-store.ts'
import { createVaultRecords } from '../storage/stores/vault-records.ts'
import { auditSigning } from './audit-log/signing.ts'
import type { Backend } from './backend.ts'
import { callbackPorts } from './callback-ports.ts'
import type { Config } from './config.ts'
import { openBucket } from './files/open-bucket.ts'
import { openOnPostgres } from './on-postgres.ts'
import { openOnSqlite } from './on-sqlite.ts'

export type Stores = Awaited<ReturnType<typeof openStores>>

export async function openStores(
  config: Config,
  redactor: Redactor,
  onCommit: (seconds: number, writes: number) => void,
) {
  const backend = await openBackend(config, onCommit)
  try {
    return await storesOf(config, redactor, backend)
  } catch (error) {
    await backend.close()
    throw error
  }
}

async function openBackend(config: Config, onCommit: (seconds: number, writes: number) => void): Promise<Backend> {
  const { databaseUrl } = config
  try {
    if (databaseUrl === null) return await openOnSqlite(config, onCommit)
    return await openOnPostgres({ ...config, databaseUrl }, onCommit)
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new DatabaseRefused(error.message, { cause: error })
    throw error
  }
}

async function storesOf(config: Config, redactor: Redactor, backend: Backend) {
  const { kysely, now, together } = backend
  const vault = await openVault(config.secretKeys, config.dataDir, createVaultRecords(kysely), backend)
  const protect = createProtect(vault, redactor, now)
  const hot = backend.hotStores(
    protect,
    createCauseOf(hostsOf([...Object.values(config.env), ...Object.values(config.variables)])),
  )
  const ids = createIds(now, randomBytes)
  const bucket = config.filesUrl === null ? null : openBucket(config, config.filesUrl)
  const files = createFileStore({
    rows: createFileRows(kysely),
    place: bucket?.place ?? backend.filePlace,
    others: bucket ? [backend.filePlace] : [],
    seal: (text, binding) => vault.seal(text, binding),
    unseal: (sealed, binding) => vault.unseal(sealed, binding),
    newId: () => ids.next('blob'),
    newKey: () => randomBytes(32),
    now,
    shared: backend.kind === 'postgres',
  })
  const signing = auditSigning(vault)
  // The signal waits for the commit: other processes must not reload uncommitted data.
  const changed = () => together.after(backend.changed)
  return {
    backend,
    bucket,
    vault,
    secrets: createSecrets(vault, redactor, now),
    journal: hot.journal,
    flows: createFlowStore(kysely),
    flowSources: createFlowSourceStore(kysely),
    files,
    runs: { ...createRunStore(kysely), ...hot.runs, accept: tellingFiles(hot.runs.accept, files) },
    schedules: { ...createScheduleStore(kysely), ...hot.schedules },
    deliveries: { ...createDeliveryStore(kysely, protect), add: hot.addDelivery },
    callbacks: createCallbackStore(kysely, callbackPorts(config, protect, now)),
    samples: createSampleStore(kysely, protect),
    stats: createStatsStore(kysely),
    failures: createFailureStore(kysely),
    replays: { ...createReplayStore(kysely), start: hot.startReplay },
    connections: announcedConnections(createConnectionStore(kysely, vault), changed),
    grants: announcedGrants(createGrantStore(kysely, vault), changed),
    authorizationRequests: createAuthorizationRequestStore(kysely, vault),
    users: createUserStore(kysely),
    roles: createRoleStore(kysely),
    sessions: createSessionStore(kysely),
    identities: createIdentityStore(kysely),
    logoutTokens: createLogoutTokens(kysely),
    secondFactors: createSecondFactorStore(kysely, vault),
    invitations: createInvitationStore(kysely),
    tokens: createTokenStore(kysely),
    audit: createAuditStore(kysely, { together, chain: backend.auditChain, signing, ids, now }),
    auditChains: createAuditChains(kysely, signing),
    auditDestinations: createAuditDestinations(kysely),
    settings: createSettingStore(kysely),
    alerts: createAlertStore(kysely, vault),
    housekeeping: createHousekeeping(kysely),
    erasing: createErasing(kysely, protect),
  }
}

/** Tells the store of files which of them runs use: it need not keep them for whoever added them then. */
const tellingFiles =
  (accept: RunStore['accept'], files: FileKeeping): RunStore['accept'] =>
  (run, ...rest) => {
    const accepted = accept(run, ...rest)
    const { files: ids } = run
    if (!ids?.length) return accepted
    return accepted.then((result) => {
      if (result.duplicateOf === null && !result.stale) files.used(ids)
      return result
    })
  }
