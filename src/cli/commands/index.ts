// Every command, in the order of the help. A command imports heavy modules when it runs, not here.
import type { Command } from '../command.ts'
import { createToken, inviteUser, listTokens, listUsers, revokeToken } from './access.ts'
import { addAlert, listAlerts, removeAlert, testAlert, updateAlert } from './alerts/alerts.ts'
import { applyFlows, diffFlows } from './apply.ts'
import { answerApproval, listApprovals } from './approvals/approvals.ts'
import { exportAudit, verifyAudit } from './audit/audit.ts'
import { backup, restore } from './backup.ts'
import { completionFor } from './completion.ts'
import { deleteConnection, listConnections, setConnection, showConnection, testConnection } from './connections.ts'
import { migrateCommand, transferCommand } from './databases.ts'
import { admitDelivery, listDeliveries } from './deliveries.ts'
import { doctor } from './doctor.ts'
import {
  cancelReplays,
  createReplays,
  listFailures,
  muteFailure,
  pauseReplays,
  resolveFailure,
  resumeReplays,
  showFailure,
  showReplays,
} from './failures.ts'
import {
  curlOfStep,
  exportFlow,
  listFlows,
  pauseFlow,
  publishFlow,
  resumeFlow,
  showFlow,
  unpublishFlow,
  validateFlows,
} from './flows.ts'
import { importCurl, importOpenApi } from './import.ts'
import { listKeys, rotateKeys } from './keys.ts'
import { listen } from './listen/listen.ts'
import { mcp } from './mcp.ts'
import { runFlow } from './run-flow.ts'
import { cancelRun, exportRun, harOfRun, listRuns, replayRun, search, showRun, tailRuns } from './runs.ts'
import { send } from './send.ts'
import { listSenders, showSender } from './senders/senders.ts'
import { serveCommand } from './serve.ts'
import { testFlows } from './test.ts'
import { breakGlassUser, resetUserSecondFactor } from './users/repair.ts'
import { resetUserPassword } from './users/reset-password.ts'

export const commands: readonly Command[] = [
  serveCommand,
  migrateCommand,
  transferCommand,
  listFlows,
  showFlow,
  validateFlows,
  diffFlows,
  applyFlows,
  exportFlow,
  curlOfStep,
  publishFlow,
  unpublishFlow,
  pauseFlow,
  resumeFlow,
  runFlow,
  testFlows,
  importCurl,
  importOpenApi,
  listRuns,
  showRun,
  exportRun,
  harOfRun,
  tailRuns,
  replayRun,
  cancelRun,
  listFailures,
  showFailure,
  resolveFailure,
  muteFailure,
  createReplays,
  showReplays,
  pauseReplays,
  resumeReplays,
  cancelReplays,
  search,
  listDeliveries,
  admitDelivery,
  send,
  listen,
  listSenders,
  showSender,
  listConnections,
  showConnection,
  setConnection,
  testConnection,
  deleteConnection,
  listApprovals,
  answerApproval,
  listAlerts,
  addAlert,
  updateAlert,
  testAlert,
  removeAlert,
  createToken,
  listTokens,
  revokeToken,
  listUsers,
  inviteUser,
  resetUserPassword,
  resetUserSecondFactor,
  breakGlassUser,
  exportAudit,
  verifyAudit,
  listKeys,
  rotateKeys,
  backup,
  restore,
  doctor,
  mcp,
  completionFor(() => commands),
]
