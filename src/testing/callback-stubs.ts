// Stands in for those who answer callbacks and approvals: each answers a step after a while, as the test says.
import type { FixtureCallbacks } from '../flow/fixture.ts'
import { compiledCallback } from '../operations/callbacks/admit-callback.ts'
import { giveAnswer, readAnswer } from '../operations/callbacks/approvals.ts'
import { type SettleServices, settleAnswer } from '../operations/callbacks/settle-answer.ts'
import type { PublishedFlows } from '../operations/flows/published-flows.ts'
import type { CallbackRecord } from '../operations/ports/callbacks/callbacks.ts'
import type { VirtualClock } from './virtual-clock.ts'

const BY = 'link'

export class CallbackStubs {
  #stubs: FixtureCallbacks = {}
  /** The callbacks that a stub has answered. */
  readonly #spent = new Set<string>()

  /** From here on these stubs answer, each the callbacks of one step. */
  answerWith(stubs: FixtureCallbacks): void {
    this.#stubs = stubs
  }

  /** Lets time pass until the next answer to a run, or until it would go on by itself. */
  async next(
    services: SettleServices & { published: PublishedFlows },
    clock: VirtualClock,
    runId: string,
    resumeAt: number | null,
  ): Promise<void> {
    const open = (await services.callbacks.ofRun(runId)).filter(({ state }) => state === 'open')
    const [first] = open
      .filter(({ id, step }) => Object.hasOwn(this.#stubs, step) && !this.#spent.has(id))
      .map((record) => ({ record, at: record.openedAt! + (this.#stubs[record.step]!.after ?? 0) * 1000 }))
      .toSorted((a, b) => a.at - b.at)
    if (first && first.at <= (resumeAt ?? Number.POSITIVE_INFINITY)) {
      clock.advanceTo(first.at)
      this.#spent.add(first.record.id)
      await this.#answer(services, first.record)
    } else if (resumeAt !== null) clock.advanceTo(resumeAt)
  }

  async #answer(services: SettleServices & { published: PublishedFlows }, record: CallbackRecord): Promise<void> {
    const compiled = (await compiledCallback(services, record))!
    const { body = null, headers = {}, answer, fields = {} } = this.#stubs[record.step]!
    if (compiled.approval) {
      await giveAnswer(services, record, compiled, readAnswer(compiled.approval, { answer, fields }, false), BY)
      return
    }
    const rawBody = JSON.stringify(body)
    const receivedAt = new Date(services.now()).toISOString()
    const data = { body, headers, query: {}, rawBody, receivedAt }
    await settleAnswer(services, record, compiled, { data, digest: services.hashing.sha256(rawBody), by: null })
  }
}
